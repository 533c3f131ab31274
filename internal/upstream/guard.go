package upstream

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

const maxRetries = 2

func newRetry(o Options) failsafe.Executor[*response] {
	policy := retrypolicy.NewBuilder[*response]().
		HandleIf(repeatable).
		WithMaxRetries(maxRetries).
		WithBackoff(50*time.Millisecond, 200*time.Millisecond).
		WithJitterFactor(0.25).
		ReturnLastFailure().
		OnRetry(func(e failsafe.ExecutionEvent[*response]) {
			o.Logger.LogAttrs(e.Context(), slog.LevelInfo, "platform call repeated",
				slog.Int("attempt", e.Attempts()), reason(e.LastResult(), e.LastError()))
		})
	return failsafe.With[*response](policy.Build())
}

func reason(r *response, err error) slog.Attr {
	if err != nil {
		return slog.String("error", err.Error())
	}
	return slog.Int("status", r.status)
}

// guarded carries out the call under the circuit breaker and within its time-out. The
// breaker counts calls, not tries, so repetitions do not open it sooner.
func (c *Client) guarded(ctx context.Context, call Call, body []byte) (*response, error) {
	work, cancel := context.WithTimeout(ctx, cmp.Or(call.Timeout, c.timeout))
	defer cancel()
	if call.Unguarded {
		return c.attempts(work, call, body)
	}
	if err := c.circuit.permit(work); err != nil {
		return nil, err
	}
	r, err := c.attempts(work, call, body)
	c.report(ctx, r, err)
	return r, err
}

// report tells the circuit the result of a call. That of a client that hung up counts for
// nothing, since its own context may have broken the exchange.
func (c *Client) report(ctx context.Context, r *response, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	c.circuit.report(healthAfter(r, err))
}

// attempts tries the call once, and repeats an idempotent one that failed.
func (c *Client) attempts(ctx context.Context, call Call, body []byte) (*response, error) {
	r, err := c.once(ctx, call, body)
	if call.Idempotent && repeatable(r, err) {
		r, err = c.repeat(ctx, call, body, r, err)
	}
	if err != nil && ctx.Err() != nil {
		// The transport has many different errors for an ended context.
		err = ctx.Err()
	}
	return r, err
}

// repeat enters the executor of retries, which costs time, with the failure as its first try.
func (c *Client) repeat(ctx context.Context, call Call, body []byte, failed *response, failure error) (*response, error) {
	tried := false
	return c.retry.WithContext(ctx).Get(func() (*response, error) {
		if tried {
			return c.once(ctx, call, body)
		}
		tried = true
		return failed, failure
	})
}

// Ready returns nil if a call may be tried: the circuit is closed, or a trial is due.
// While the circuit is open, it returns platform.unavailable with RetryAfter, as JSON
// would. It takes no permit: of several calls that find a trial due, only one is let
// through.
func (c *Client) Ready(ctx context.Context) error {
	remaining := c.circuit.breaker.RemainingDelay()
	switch state := c.circuit.breaker.State(); {
	case state == circuitbreaker.ClosedState, state == circuitbreaker.OpenState && remaining == 0:
		return nil
	}
	return c.noResponse(ctx, Call{Operation: "ready"}, &circuitOpenError{remaining: remaining})
}

// outage reports whether the call ended because the service is unreachable. A 500 is no
// outage: one payload on which the platform fails must not open the circuit for everyone.
func outage(r *response, err error) bool {
	if err != nil {
		return !untrusted(err) && !is[*tooLargeError](err) && !is[*addressError](err)
	}
	return r.isOutage()
}

// repeatable reports whether an idempotent call may be tried again: the connection
// failed, or a gateway reports that the service is away. A 503 with Retry-After is not
// repeated before that time.
func repeatable(r *response, err error) bool {
	if err != nil {
		return outage(nil, err)
	}
	return r.status == http.StatusBadGateway ||
		r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == ""
}
