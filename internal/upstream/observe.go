package upstream

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// The outcomes of a call that got no whole response.
const (
	OutcomeCancelled   = "cancelled"    // whoever we serve hung up
	OutcomeCircuitOpen = "circuit-open" // it was not tried
	OutcomeTimeout     = "timeout"      // no response in time
	OutcomeUntrusted   = "untrusted"    // a certificate was refused, theirs or ours
	OutcomeBroken      = "broken"       // the response broke off, or is too long
	OutcomeUnreachable = "unreachable"  // no connection
	OutcomeInternal    = "internal"     // the path does not lead to the platform
)

// Observation is how one call ended.
type Observation struct {
	// Operation is the call's, or "relay".
	Operation string
	// Outcome is one of few: a status of three digits, or one of the Outcomes.
	Outcome string
	// Elapsed is how long the call took, with its repetitions.
	Elapsed time.Duration
}

// begin starts the clock of a call; the caller reports to ended how it ended.
func (c *Client) begin(ctx context.Context, operation string) (ended func(*response, error)) {
	if c.observe == nil {
		return func(*response, error) {}
	}
	start := c.now()
	return func(r *response, err error) {
		c.observe(Observation{Operation: operation, Outcome: outcome(ctx, r, err), Elapsed: c.now().Sub(start)})
	}
}

// outcome names how a call ended, by the same distinctions as noResponse.
func outcome(ctx context.Context, r *response, err error) string {
	switch {
	case err == nil:
		return strconv.Itoa(r.status)
	case errors.Is(ctx.Err(), context.Canceled):
		return OutcomeCancelled
	case is[*circuitOpenError](err):
		return OutcomeCircuitOpen
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeTimeout
	case is[*addressError](err):
		return OutcomeInternal
	case is[*truncatedError](err), is[*tooLargeError](err):
		return OutcomeBroken
	case untrusted(err):
		return OutcomeUntrusted
	}
	return OutcomeUnreachable
}
