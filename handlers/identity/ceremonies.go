package identity

import (
	"context"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/session"
)

// Ceremonies finishes FIDO ceremonies that a session has begun.
type Ceremonies struct {
	Identity     *platform.Client
	Sessions     *session.Store
	RelyingParty ceremony.RelyingParty
}

// finish spends the ceremony that response answers, checks that it is the one presented,
// and returns it; the platform's requestID is in it.
func (x Ceremonies) finish(c *gin.Context, presented ceremony.ClientClaims, response *ceremony.Response) (*ceremony.Pending, error) {
	spend := func(ctx context.Context, p *ceremony.Pending) error {
		return x.Sessions.Consume(ctx, request.From(c).Session, p)
	}
	return x.RelyingParty.Finish(c.Request.Context(), response, presented, x.Identity.Ready, spend)
}

// at adds to the fault of a malformed response the pointer of its member in the body.
func at(pointer string, err error) error {
	if f := fault.From(err); f.Key == fault.CeremonyMalformed && len(f.Fields) == 0 {
		f.Fields = []fault.Field{{Pointer: pointer, Detail: "field.response"}}
		return f
	}
	return err
}
