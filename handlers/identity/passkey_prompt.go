package identity

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/internal/identity/platform"
	"countersign/internal/request"
)

// PasskeyPrompt finds people without a passkey, who are asked to create one instead of
// using one.
type PasskeyPrompt struct {
	Identity *platform.Client
}

// Shown reports whether the signed-in person has no passkey; false if that cannot be told
// now.
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
	return !slices.ContainsFunc(list, func(a platform.Authenticator) bool { return a.Protocol == platform.FIDO2 })
}
