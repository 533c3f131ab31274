package request

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/ratelimit"
)

// Limits are the rate limits of ceremonies. They fail closed: while they cannot be read,
// nobody passes.
type Limits struct {
	Limiter *ratelimit.Limiter
	// Ceremony limits the ceremonies of a session, CeremonyAddress those that a client
	// address begins signed out.
	Ceremony, CeremonyAddress ratelimit.Limit
}

// TakeCeremony counts one ceremony, against the session of a signed-in person or
// the address of a signed-out one.
func (l Limits) TakeCeremony(c *gin.Context) error {
	count := ratelimit.Count{Name: "ceremony-address", Subject: ratelimit.Network(From(c).Address), Limit: l.CeremonyAddress}
	if _, signedIn := Person(c); signedIn {
		count = ratelimit.Count{Name: "ceremony", Subject: From(c).Session.ID(), Limit: l.Ceremony}
	}
	return l.Limiter.Take(c.Request.Context(), count)
}

// TakeConditional counts a registration that nobody asked for, against its session.
func (l Limits) TakeConditional(c *gin.Context) error {
	return l.Limiter.Take(c.Request.Context(), ratelimit.Count{Name: "conditional", Subject: From(c).Session.ID(), Limit: l.Ceremony})
}

// TakeBinding counts a refusal of a browser's proof, against its session.
func (l Limits) TakeBinding(c *gin.Context) error {
	return l.Limiter.Take(c.Request.Context(), ratelimit.Count{Name: "binding", Subject: From(c).Session.ID(), Limit: l.Ceremony})
}

// TakeOrchestration counts a message of the orchestration SDK against its address, signed
// in or out.
func (l Limits) TakeOrchestration(c *gin.Context) error {
	return l.Limiter.Take(c.Request.Context(), ratelimit.Count{
		Name: "orchestration", Subject: ratelimit.Network(From(c).Address), Limit: l.CeremonyAddress,
	})
}
