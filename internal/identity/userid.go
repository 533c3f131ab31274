package identity

import (
	"regexp"
	"strings"
)

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

// maxUserPart is the most characters of either part of a user's id. It is no part of
// the pattern, which would take long to compile.
const maxUserPart = 64

// ValidUser reports whether id has the form userID@domain.
func ValidUser(id string) bool {
	name, domain, _ := strings.Cut(id, "@")
	return len(name) <= maxUserPart && len(domain) <= maxUserPart && userID.MatchString(id)
}
