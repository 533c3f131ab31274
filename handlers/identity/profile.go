package identity

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/identity"
	"countersign/internal/request"
	"countersign/session"
)

// profileTimeout is how long an answer waits for what the platform calls a person.
const profileTimeout = 2 * time.Second

// Profiles reads what the platform calls a person who is signed in, where that
// could not be read when they signed in.
type Profiles struct {
	Identity *identity.Client
	Sessions *session.Store
}

// Person is the signed-in user; false when signed out. A profile that cannot be
// read now either stays missing: it is asked for again when it is next needed.
func (p Profiles) Person(c *gin.Context) (session.User, bool) {
	person, ok := request.Person(c)
	if !ok || !person.ProfileMissing {
		return person, ok
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), profileTimeout)
	defer cancel()
	profile, err := p.Identity.User(ctx, person.ID)
	if err == nil {
		person = session.User{ID: person.ID, DisplayName: profile.DisplayName, Email: profile.EmailAddress}
		err = p.Sessions.SetUser(ctx, request.From(c).Session, person)
	}
	if err != nil {
		request.LogCause(c, err)
	}
	return person, true
}
