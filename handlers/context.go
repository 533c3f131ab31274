package handlers

import (
	"regexp"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/session"
)

// The names under which web's middleware leaves what it found in the gin
// context. They are reached through the functions below alone.
const (
	sessionKey = "session"
	userKey    = "user"
)

// SetSession leaves the request's session for the handlers; web calls it.
func SetSession(c *gin.Context, s *session.Session) { c.Set(sessionKey, s) }

// SessionOf is the request's session: signed in, signed out with something
// under way (a pre-session), or nil.
func SessionOf(c *gin.Context) *session.Session {
	value, _ := c.Get(sessionKey)
	s, _ := value.(*session.Session)
	return s
}

// PersonOf is the signed-in user of the request; false when signed out.
func PersonOf(c *gin.Context) (session.User, bool) {
	if s := SessionOf(c); s != nil {
		return s.User()
	}
	return session.User{}, false
}

// SetUser leaves the user that the path names, {user}; web calls it.
func SetUser(c *gin.Context, id string) { c.Set(userKey, id) }

// userOf is the user that the path names.
func userOf(c *gin.Context) string { return c.GetString(userKey) }

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,64}$`)

// ValidUser reports whether id has the form userID@domain.
func ValidUser(id string) bool { return userID.MatchString(id) }

// ReaderOf is who an error of the request is told to; reveal says that the
// installation hides no account's state.
func ReaderOf(c *gin.Context, reveal bool) fault.Reader {
	_, signedIn := PersonOf(c)
	switch {
	case reveal:
		return fault.Confidant
	case signedIn:
		return fault.SignedIn
	}
	return fault.Stranger
}

// RequirePerson is the signed-in user, or session.required.
func RequirePerson(c *gin.Context) (session.User, error) {
	person, ok := PersonOf(c)
	if !ok {
		return session.User{}, fault.New(fault.SessionRequired)
	}
	return person, nil
}
