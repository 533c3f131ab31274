package identity

import "regexp"

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,64}$`)

// ValidUser reports whether id has the form userID@domain.
func ValidUser(id string) bool { return userID.MatchString(id) }
