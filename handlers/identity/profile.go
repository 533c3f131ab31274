package identity

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/session"
)

// profileTimeout limits how long an answer waits for a person's profile.
const profileTimeout = 2 * time.Second

// Profiles reads the profile of a signed-in person if it could not be read at the
// sign-in.
type Profiles struct {
	Identity *platform.Client
	Sessions *session.Store
}

// Person returns the signed-in user; false when signed out. A profile that still cannot
// be read stays missing and is asked for again next time.
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
