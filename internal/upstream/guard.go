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

// guarded carries out the call under the circuit breaker and within its time-out. The
// breaker counts calls, not tries, so repetitions do not open it sooner.
func (c *Client) guarded(ctx context.Context, call Call, body []byte) (*response, error) {
	trial := false
	if !call.Unguarded {
		var err error
		if trial, err = c.permit(); err != nil {
			return nil, err
		}
	}
	work, cancel := c.within(ctx, call, trial)
	defer cancel()
	r, err := c.attempts(work, call, body)
	if err != nil && work.Err() != nil {
		// The transport has many different errors for an ended context.
		err = work.Err()
	}
	if !call.Unguarded {
		c.record(work, r, err)
	}
	return r, err
}

// attempts tries the call once, and repeats an idempotent one that failed. Only then does
// it enter the executor of retries, which costs time, with the failure as its first try.
func (c *Client) attempts(ctx context.Context, call Call, body []byte) (*response, error) {
	r, err := c.once(ctx, call, body)
	if !call.Idempotent || !repeatable(r, err) {
		return r, err
	}
	tried := false
	return c.retry.WithContext(ctx).Get(func() (*response, error) {
		if tried {
			return c.once(ctx, call, body)
		}
		tried = true
		return r, err
	})
}

// within limits the call's time. A trial does not end with its client's context: it is
// the only call under way, and a client that hangs up must not keep the circuit open for
// everyone.
func (c *Client) within(ctx context.Context, call Call, trial bool) (context.Context, context.CancelFunc) {
	if trial {
		ctx = context.WithoutCancel(ctx)
	}
	if call.Timeout > 0 {
		return context.WithTimeout(ctx, call.Timeout)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// permit takes the breaker's permit for a call. A trial is a call that decides whether
// the half-open circuit closes.
func (c *Client) permit() (trial bool, err error) {
	if !c.breaker.TryAcquirePermit() {
		return false, &circuitOpenError{remaining: c.breaker.RemainingDelay()}
	}
	return c.breaker.IsHalfOpen(), nil
}

// Ready returns nil if a call may be tried: the circuit is closed, or a trial is due.
// While the circuit is open, it returns platform.unavailable with RetryAfter, as JSON
// would. It takes no permit: of several calls that find a trial due, only one is let
// through.
func (c *Client) Ready(ctx context.Context) error {
	remaining := c.breaker.RemainingDelay()
	switch state := c.breaker.State(); {
	case state == circuitbreaker.ClosedState, state == circuitbreaker.OpenState && remaining == 0:
		return nil
	}
	return c.noResponse(ctx, Call{Operation: "ready"}, &circuitOpenError{remaining: remaining})
}

// record reports the call's result to the breaker. A client that hung up does not count.
func (c *Client) record(ctx context.Context, r *response, err error) {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
	case outage(r, err):
		c.breaker.RecordFailure()
	default:
		c.breaker.RecordSuccess()
	}
}

// outage reports whether the call ended because the service is unreachable. A 500 is no
// outage: one payload on which the platform fails must not open the circuit for everyone.
func outage(r *response, err error) bool {
	if err != nil {
		return !untrusted(err) && !is[*tooLargeError](err) && !is[*addressError](err)
	}
	switch r.status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
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
