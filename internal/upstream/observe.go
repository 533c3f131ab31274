package upstream

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// The outcomes of a call without a whole response.
const (
	OutcomeCancelled   = "cancelled"    // our own client hung up
	OutcomeCircuitOpen = "circuit-open" // it was not tried
	OutcomeTimeout     = "timeout"      // no response in time
	OutcomeUntrusted   = "untrusted"    // a certificate was refused, theirs or ours
	OutcomeBroken      = "broken"       // the response broke off, or is too long
	OutcomeUnreachable = "unreachable"  // no connection
	OutcomeInternal    = "internal"     // the path does not lead to the platform
)

// Observation describes how one call ended.
type Observation struct {
	// Operation is the call's, or "relay".
	Operation string
	// Outcome is a status of three digits, or one of the Outcomes.
	Outcome string
	// Elapsed is the duration of the call, with its repetitions.
	Elapsed time.Duration
}

// begin starts the clock of a call; the caller then calls ended with the call's result.
func (c *Client) begin(ctx context.Context, operation string) (ended func(*response, error)) {
	if c.observe == nil {
		return func(*response, error) {}
	}
	start := c.now()
	return func(r *response, err error) {
		c.observe(Observation{Operation: operation, Outcome: outcome(ctx, r, err), Elapsed: c.now().Sub(start)})
	}
}

// outcome names a call's result, with the same distinctions as noResponse.
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
