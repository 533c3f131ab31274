package identity

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/internal/identity"
	"countersign/internal/request"
)

// PasskeyPrompt finds people who have no passkey: they are asked to create one, and not
// asked to use one.
type PasskeyPrompt struct {
	Identity *identity.Client
}

// Shown reports whether the signed-in person has no passkey. Where that cannot be told
// now, nobody is asked.
func (p PasskeyPrompt) Shown(c *gin.Context) bool {
	person, ok := request.Person(c)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), profileTimeout)
	defer cancel()
	list, err := p.Identity.Authenticators(ctx, person.ID)
	if err != nil {
		request.LogCause(c, err)
		return false
	}
	return !slices.ContainsFunc(list, func(a identity.Authenticator) bool { return a.Protocol == identity.FIDO2 })
}
