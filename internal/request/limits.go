package request

import (
	"context"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/ratelimit"
)

// Limits are the rate limits of ceremonies. They fail closed: when they cannot be
// read, nobody passes.
type Limits struct {
	Limiter *ratelimit.Limiter
	// Ceremony bounds ceremonies per session, CeremonyAddress those begun signed
	// out per client address.
	Ceremony, CeremonyAddress ratelimit.Limit
}

// TakeCeremony counts one ceremony, against the session of a signed-in person or
// the address of a signed-out one.
func (l Limits) TakeCeremony(c *gin.Context) error {
	if _, signedIn := Person(c); signedIn {
		return l.take(c.Request.Context(), "ceremony", From(c).Session.ID(), l.Ceremony)
	}
	return l.take(c.Request.Context(), "ceremony-address", ratelimit.Network(From(c).Address), l.CeremonyAddress)
}

// TakeOrchestration counts a message of the orchestration SDK, signed in or out,
// against its address.
func (l Limits) TakeOrchestration(c *gin.Context) error {
	return l.take(c.Request.Context(), "orchestration", ratelimit.Network(From(c).Address), l.CeremonyAddress)
}

func (l Limits) take(ctx context.Context, name, subject string, limit ratelimit.Limit) error {
	retryAfter, ok, err := l.Limiter.Allow(ctx, name, subject, limit)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.RequestRate).After(retryAfter)
	}
	return nil
}
