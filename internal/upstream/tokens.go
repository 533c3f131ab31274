package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"countersign/internal/fault"
)

const (
	// firstPause is the time without another request after one that failed; it doubles with
	// each further one, up to longestPause.
	firstPause, longestPause = time.Second, 16 * time.Second
	// refusalsIn is the time in which as many refusals as tokens.refusals holds renew the
	// token: an operation that the service refuses with any token must not make one request
	// for a token each time.
	refusalsIn = 15 * time.Second
)

// tokens keeps the service's one token. It is renewed early, by one request at a time, while
// calls go on with the one that is still good. Only without a good one do they wait.
type tokens struct {
	timeout time.Duration // of a request
	now     func() time.Time
	log     *slog.Logger
	open    context.Context // ends with the Client
	end     context.CancelFunc

	mu       sync.Mutex
	source   tokenSource
	current  *accessToken  // nil for none
	asking   chan struct{} // closed when the request under way has ended; nil for none
	failure  error         // of the last request; nil if it succeeded
	failures int           // in a row
	pause    time.Time     // no request is made before
	refusals [4]time.Time  // the last renewals after a refusal, the oldest first
}

// tokenSource is where tokens come from.
type tokenSource struct {
	ask  func(context.Context) (*accessToken, error)
	idle func() // closes the idle connections
}

// replace has tokens come from another source from now on, at once if the last one gave none.
// The token that is there stays.
func (t *tokens) replace(source tokenSource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.source.idle()
	t.source, t.failures, t.pause = source, 0, time.Time{}
}

// close ends a request for a token.
func (t *tokens) close() {
	t.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.source.idle()
}

// tokenError is the error of a call for which there was no token. It hides the kind of its
// cause: what is wrong with the token endpoint says nothing about the service.
type tokenError struct {
	cause error
	retry time.Duration
}

func (e *tokenError) Error() string { return "no token: " + e.cause.Error() }

// authorization returns the header's value. The error is a *tokenError, or ctx's.
func (t *tokens) authorization(ctx context.Context) (string, error) {
	for {
		value, asking, err := t.state()
		if err != nil || value != "" {
			return value, err
		}
		select {
		case <-asking:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// state returns a good token, or the request to wait for, or why there is neither. It begins
// the request that is due.
func (t *tokens) state() (value string, asking <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if t.current != nil && !now.Before(t.current.ends) {
		t.current = nil
	}
	if t.current == nil || !now.Before(t.current.renewAt) {
		t.begin(now)
	}
	switch {
	case t.current != nil:
		return t.current.authorization, nil, nil
	case t.asking != nil:
		return "", t.asking, nil
	}
	return "", nil, &tokenError{cause: t.failure, retry: t.pause.Sub(now)}
}

// refused notes that the service refused a token. It reports whether another one takes its
// place; else the token stays, since it may be the operation that is refused.
func (t *tokens) refused(authorization string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil || t.current.authorization != authorization {
		return true
	}
	now := t.now()
	if now.Sub(t.refusals[0]) < refusalsIn || t.asking == nil && now.Before(t.pause) {
		return false
	}
	copy(t.refusals[:], t.refusals[1:])
	t.refusals[len(t.refusals)-1] = now
	t.current = nil
	t.log.Warn("token refused")
	t.begin(now)
	return true
}

// begin begins a request, unless one is under way or it is too early for one.
func (t *tokens) begin(now time.Time) {
	if t.asking != nil || now.Before(t.pause) {
		return
	}
	t.asking = make(chan struct{})
	go t.renew(t.source)
}

// renew makes a request. It belongs to no call, so that it does not end with one.
func (t *tokens) renew(from tokenSource) {
	ctx, cancel := context.WithTimeout(t.open, t.timeout)
	defer cancel()
	token, err := from.ask(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.asking)
	t.asking, t.failure = nil, err
	if err == nil {
		t.current, t.failures, t.pause = token, 0, time.Time{}
		return
	}
	pause := min(firstPause<<min(t.failures, 8), longestPause)
	t.failures++
	t.pause = t.now().Add(pause)
	t.log.Warn("token renewal failed", "cause", err.Error(), "pause", pause.String())
}

// authorized sends call with the service's token. A 401 renews the token, and the call is
// sent again if it is safe to repeat; else, or with a second 401, it is an outage: nobody's
// own credentials are wrong.
func authorized[R any](ctx context.Context, c *Client, call Call, repeat bool, send func(Call) (R, error)) (answer R, err error) {
	if call.authorization, err = c.token(ctx, call); err != nil {
		return answer, err
	}
	answer, err = send(call)
	if unauthorized(err) && c.tokens.refused(call.authorization) && repeat {
		if call.authorization, err = c.token(ctx, call); err != nil {
			return answer, err
		}
		answer, err = send(call)
	}
	if unauthorized(err) {
		err = fault.Wrap(fault.PlatformUnavailable, err).After(defaultRetryAfter)
	}
	return answer, err
}

// token returns the call's Authorization, and waits for it no longer than for an answer.
func (c *Client) token(ctx context.Context, call Call) (string, error) {
	wait, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	value, err := c.tokens.authorization(wait)
	if err == nil {
		return value, nil
	}
	c.begin(ctx, call.Operation)(nil, err)
	if missing, ok := errors.AsType[*tokenError](err); ok {
		cause := fmt.Errorf("%s: %w", call.Operation, err)
		return "", fault.Wrap(fault.PlatformUnavailable, cause).After(max(missing.retry, time.Second))
	}
	return "", c.noResponse(ctx, call, err)
}

// Authorization returns the header's value for a request of the caller's own below the base
// address: the fixed one, or a token. given is a token that shall be replaced, "" for none.
func (c *Client) Authorization(ctx context.Context, given string) (string, error) {
	if c.tokens == nil {
		return c.access.Load().authorization, nil
	}
	if given != "" {
		c.tokens.refused(given)
	}
	return c.token(ctx, Call{Operation: requestToken})
}

// unauthorized reports whether the service refused the credential.
func unauthorized(err error) bool {
	said, ok := errors.AsType[*Error](err)
	return ok && said.Status == http.StatusUnauthorized
}

// readsOnly reports whether r changes nothing, and can be sent again.
func readsOnly(r *http.Request) bool {
	return (r.Body == nil || r.Body == http.NoBody) && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}
