package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/session"
)

// Proofs say which key a session is bound to that begins with a request.
type Proofs struct {
	Sessions *session.Store
	// Required says that every session of an app is bound.
	Required bool
}

// Key returns the thumbprint of the key that the client proves to hold; nil for a
// browser, whose proofs do not count, and for an app that proves nothing. The error is
// session.proof for a proof that is not good, and session.proof-required for an app
// without one, if it must have one; any other is an outage.
func (p Proofs) Key(c *gin.Context) ([]byte, error) {
	held := From(c).Session
	switch {
	case !WantsToken(c):
		return nil, nil
	case held != nil && held.Bound():
		return held.Key(), nil
	case len(c.Request.Header[dpop.Header]) > 0:
		return p.Sessions.Prove(c.Request)
	case p.Required:
		return nil, fault.New(fault.SessionProofRequired)
	}
	return nil, nil
}
