package upstream

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// circuit decides whether the service is called. Failed calls in a row are a reason to ask,
// and a request of our own, which no client shapes, gives the answer: one client's input can
// make calls fail, and must not end everybody's.
type circuit struct {
	breaker circuitbreaker.CircuitBreaker[any]
	limit   uint                       // of failures in a row
	there   func(context.Context) bool // asks the service
	within  time.Duration              // for the answer
	ctx     context.Context            // ends with the Client
	end     context.CancelFunc

	mu       sync.Mutex
	failures uint
	doubtful bool          // some of them may be a client's doing
	decided  chan struct{} // closed when the question under way is decided; nil if none is
}

// probeFor limits the time in which the service has to answer the question.
const probeFor = 3 * time.Second

func newCircuit(o Options, there func(context.Context) bool) *circuit {
	c := &circuit{limit: o.OutagesToOpen, there: there, within: min(probeFor, o.Timeout)}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.breaker = circuitbreaker.NewBuilder[any]().
		WithSuccessThreshold(1).
		WithDelay(o.OpenFor).
		OnStateChanged(func(e circuitbreaker.StateChangedEvent) {
			o.Logger.LogAttrs(e.Context(), slog.LevelWarn, "platform circuit changed",
				slog.String("from", e.OldState.String()), slog.String("to", e.NewState.String()))
		}).
		Build()
	return c
}

// permit returns nil if a call may be made. When a trial is due, the first call waits for it,
// and those beside it are refused.
func (c *circuit) permit(ctx context.Context) error {
	if !c.breaker.TryAcquirePermit() {
		return &circuitOpenError{remaining: c.breaker.RemainingDelay()}
	}
	if !c.breaker.IsHalfOpen() {
		return nil
	}
	select {
	case <-c.ask():
	case <-ctx.Done():
		return ctx.Err()
	}
	if !c.breaker.IsClosed() {
		return &circuitOpenError{remaining: c.breaker.RemainingDelay()}
	}
	return nil
}

// report takes the result of a call.
func (c *circuit) report(is health) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch is {
	case unknown:
		return
	case alive:
		c.failures, c.doubtful = 0, false
		return
	case suspect:
		c.doubtful = true
	}
	if c.failures++; c.failures < c.limit || !c.breaker.IsClosed() {
		return
	}
	if !c.doubtful { // no connection at all, which no client causes
		c.breaker.Open()
		return
	}
	c.begin()
}

// ask asks the service whether it is there, unless that is under way, and returns what is
// closed when it is decided.
func (c *circuit) ask() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begin()
}

// begin is ask with the lock.
func (c *circuit) begin() <-chan struct{} {
	if c.decided == nil {
		c.decided = make(chan struct{})
		go func() {
			ctx, cancel := context.WithTimeout(c.ctx, c.within)
			defer cancel()
			c.decide(c.there(ctx) || c.ctx.Err() != nil)
		}()
	}
	return c.decided
}

// decide opens or closes the circuit. Calls that succeeded meanwhile are an answer too.
func (c *circuit) decide(there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.breaker.IsHalfOpen() && there:
		c.breaker.RecordSuccess()
	case c.breaker.IsHalfOpen():
		c.breaker.RecordFailure()
	case !there && c.failures >= c.limit:
		c.breaker.Open()
	}
	c.failures, c.doubtful = 0, false
	close(c.decided)
	c.decided = nil
}

// health is what the result of a call says about the service.
type health int

const (
	unknown     health = iota // nothing: our client has hung up, or its body was refused
	alive                     // it has answered
	unreachable               // nothing of the request was sent
	suspect                   // the exchange broke after that, took too long, or ended in 502 to 504
)

// healthAfter returns what a call says that had response r or the error err. A 500 is a life
// sign: one payload on which the platform fails says nothing about others.
func healthAfter(r *response, err error) health {
	switch {
	case !outage(r, err):
		return alive
	case is[*unsentError](err):
		return unreachable
	}
	return suspect
}

// isThere asks whether anything but a gateway that cannot reach the service answers at the
// base address. The request has our name and the fixed headers, and no credential: a refusal
// is an answer as well.
func (c *Client) isThere(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseText, nil)
	if err != nil {
		return false
	}
	r.Header = c.access.Load().header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header["User-Agent"] = c.userAgent
	raw, _, err := c.roundTrip(r)
	if err != nil {
		return untrusted(err)
	}
	raw.Body.Close()
	return !(&response{status: raw.StatusCode}).isOutage()
}
