package upstream

import (
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

func newRetry(o Options) failsafe.Executor[*answer] {
	policy := retrypolicy.NewBuilder[*answer]().
		HandleIf(repeatable).
		WithMaxRetries(maxRetries).
		WithBackoff(50*time.Millisecond, 200*time.Millisecond).
		WithJitterFactor(0.25).
		ReturnLastFailure().
		OnRetry(func(e failsafe.ExecutionEvent[*answer]) {
			o.Logger.LogAttrs(e.Context(), slog.LevelInfo, "platform call repeated",
				slog.Int("attempt", e.Attempts()), reason(e.LastResult(), e.LastError()))
		})
	return failsafe.With[*answer](policy.Build())
}

func reason(a *answer, err error) slog.Attr {
	if err != nil {
		return slog.String("error", err.Error())
	}
	return slog.Int("status", a.status)
}

func newBreaker(o Options) circuitbreaker.CircuitBreaker[any] {
	return circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(o.OutagesToOpen).
		WithSuccessThreshold(1).
		WithDelay(o.OpenFor).
		OnStateChanged(func(e circuitbreaker.StateChangedEvent) {
			o.Logger.LogAttrs(e.Context(), slog.LevelWarn, "platform circuit changed",
				slog.String("from", e.OldState.String()), slog.String("to", e.NewState.String()))
		}).
		Build()
}

// guarded carries the call out under the circuit breaker and within its
// time-out. The breaker counts calls, not tries, so that repeating does not
// open it sooner.
func (c *Client) guarded(ctx context.Context, call Call, body []byte) (*answer, error) {
	trial, err := c.permit()
	if err != nil {
		return nil, err
	}
	work, cancel := c.within(ctx, call, trial)
	defer cancel()
	a, err := c.attempts(work, call, body)
	if err != nil && work.Err() != nil {
		// The transport words the end of a context in many ways; one is enough.
		err = work.Err()
	}
	c.record(work, a, err)
	return a, err
}

func (c *Client) attempts(ctx context.Context, call Call, body []byte) (*answer, error) {
	send := func() (*answer, error) { return c.once(ctx, call, body) }
	if !call.Idempotent {
		return send()
	}
	return c.retry.WithContext(ctx).Get(send)
}

// within bounds the call's time. A trial is cut off from the context it came
// with: it is the only one under way, and clients that hang up must not keep
// the circuit open for everyone.
func (c *Client) within(ctx context.Context, call Call, trial bool) (context.Context, context.CancelFunc) {
	if trial {
		ctx = context.WithoutCancel(ctx)
	}
	if call.Timeout > 0 {
		return context.WithTimeout(ctx, call.Timeout)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// permit asks the breaker for leave to call. A trial is a call that decides
// whether the half-open circuit closes.
func (c *Client) permit() (trial bool, err error) {
	if !c.breaker.TryAcquirePermit() {
		return false, &openError{remaining: c.breaker.RemainingDelay()}
	}
	return c.breaker.IsHalfOpen(), nil
}

// Ready is nil when a call may be tried: the circuit is closed, or a trial is due.
// While it is open Ready is the error of JSON for that, platform.unavailable with
// RetryAfter. It takes no permit: of several calls that find a trial due only one is
// let through.
func (c *Client) Ready(ctx context.Context) error {
	remaining := c.breaker.RemainingDelay()
	switch state := c.breaker.State(); {
	case state == circuitbreaker.ClosedState, state == circuitbreaker.OpenState && remaining == 0:
		return nil
	}
	return c.trouble(ctx, Call{Operation: "ready"}, &openError{remaining: remaining})
}

// recordRelay is record for a relay, whose trial is not cut off from its
// client. One that was given up still owes the breaker its permit.
func (c *Client) recordRelay(ctx context.Context, trial bool, a *answer, err error) {
	if trial && errors.Is(ctx.Err(), context.Canceled) {
		c.breaker.RecordFailure()
		return
	}
	c.record(ctx, a, err)
}

// record tells the breaker how the call ended. A client that hung up says
// nothing about the platform.
func (c *Client) record(ctx context.Context, a *answer, err error) {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
	case outage(a, err):
		c.breaker.RecordFailure()
	default:
		c.breaker.RecordSuccess()
	}
}

// outage reports whether the call ended because the service is out of reach. A
// 500 is no outage: one payload that the platform stumbles over must not close
// it for everyone.
func outage(a *answer, err error) bool {
	if err != nil {
		return !untrusted(err) && !is[*oversizeError](err) && !is[*addressError](err)
	}
	switch a.status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// repeatable reports whether an idempotent call may be tried again: the
// connection failed, or a gateway says that nobody is there. A 503 that says
// when to come back is taken at its word.
func repeatable(a *answer, err error) bool {
	if err != nil {
		return outage(nil, err)
	}
	return a.status == http.StatusBadGateway ||
		a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == ""
}
