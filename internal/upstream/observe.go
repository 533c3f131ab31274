package upstream

import (
	"context"
	"errors"
	"strconv"
)

// The outcomes of a call that got no whole answer.
const (
	OutcomeCancelled   = "cancelled"    // whoever we serve hung up
	OutcomeCircuitOpen = "circuit-open" // it was not tried
	OutcomeTimeout     = "timeout"      // no answer in time
	OutcomeUntrusted   = "untrusted"    // a certificate was refused, theirs or ours
	OutcomeBroken      = "broken"       // the answer broke off, or is too long
	OutcomeUnreachable = "unreachable"  // no connection
	OutcomeInternal    = "internal"     // the path does not lead to the platform
)

// begin notes when a call begins; what it returns is told how the call ended.
func (c *Client) begin(ctx context.Context, operation string) (ended func(*answer, error)) {
	if c.observe == nil {
		return func(*answer, error) {}
	}
	start := c.now()
	return func(a *answer, err error) { c.observe(operation, outcome(ctx, a, err), c.now().Sub(start)) }
}

// outcome names how a call ended, in the order of trouble.
func outcome(ctx context.Context, a *answer, err error) string {
	switch {
	case err == nil:
		return strconv.Itoa(a.status)
	case errors.Is(ctx.Err(), context.Canceled):
		return OutcomeCancelled
	case is[*openError](err):
		return OutcomeCircuitOpen
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeTimeout
	case is[*addressError](err):
		return OutcomeInternal
	case is[*cutError](err), is[*oversizeError](err):
		return OutcomeBroken
	case untrusted(err):
		return OutcomeUntrusted
	}
	return OutcomeUnreachable
}
