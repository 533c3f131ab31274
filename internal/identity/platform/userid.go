package platform

import "strings"

const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	// maxUserPart limits the characters of either part of a user's id.
	maxUserPart = 64
)

// ValidUser reports whether id has the form userID@domain.
func ValidUser(id string) bool {
	name, domain, _ := strings.Cut(id, "@")
	return isUserPart(name, alphanumeric+"._+-") && isUserPart(domain, alphanumeric+".-")
}

// isUserPart reports whether part is a valid part of a user's id made of characters.
func isUserPart(part, characters string) bool {
	return part != "" && len(part) <= maxUserPart && strings.Trim(part, characters) == ""
}
