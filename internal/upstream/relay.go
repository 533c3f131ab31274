package upstream

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"countersign/internal/fault"
	"countersign/internal/reqctx"
)

// Relay sends r to the platform for the named operation and returns the response if it is
// a success or 304: its body streams, and the caller closes it. Any other result is an
// error, as of JSON. If reading r's body fails with a *fault.Error, that error is
// returned, and the platform gets no whole request.
//
// The credential replaces any Authorization or Cookie, and a URL that is not under the
// base address is refused. Nothing is repeated, but for a GET or HEAD whose token was
// refused, and no size is limited. A transfer may
// take any time as long as it moves: Options.Timeout limits how long the platform keeps
// still.
func (c *Client) Relay(operation string, r *http.Request) (*http.Response, error) {
	ctx, call := r.Context(), Call{Operation: operation}
	if !c.covers(r.URL) {
		return nil, c.noResponse(ctx, call, &addressError{path: r.URL.Path})
	}
	if c.tokens == nil {
		return c.relay(call, r)
	}
	return authorized(ctx, c, call, readsOnly(r), func(call Call) (*http.Response, error) { return c.relay(call, r) })
}

func (c *Client) relay(call Call, r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	ended := c.begin(ctx, call.Operation)
	if err := c.circuit.permit(ctx); err != nil {
		ended(nil, err)
		return nil, c.noResponse(ctx, call, err)
	}
	raw, way, err := c.transfer(call, r)
	if err != nil {
		ended(nil, err)
		if ours, ok := errors.AsType[*fault.Error](err); ok {
			return nil, ours
		}
		c.report(ctx, nil, err)
		return nil, c.noResponse(ctx, call, err)
	}
	got := newResponse(ctx, raw, way)
	c.report(ctx, got, nil)
	ended(got, nil)
	if got.success() || got.status == http.StatusNotModified {
		return raw, nil
	}
	defer raw.Body.Close()
	limitWhole(raw)
	_ = got.read(raw, c.maxResponse, nil) // in a refusal the status is enough
	return nil, c.result(ctx, call, got, nil)
}

// transfer sends r once, with our headers, and cancels it if the platform keeps still
// for too long.
func (c *Client) transfer(call Call, r *http.Request) (*http.Response, *journey, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	still := time.AfterFunc(c.timeout, func() { cancel(context.DeadlineExceeded) })
	out := r.WithContext(ctx)
	out.Header = maps.Clone(r.Header) // its values are replaced, never written into
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header.Del("Cookie")
	out.Host = c.base.Host
	c.setHeaders(ctx, call, out.Header)
	c.watchBody(out, still)
	raw, way, err := c.exchange(call.Operation, out)
	still.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
			err = cause
		}
		cancel(nil)
		return nil, nil, err
	}
	raw.Body = &limitedBody{ReadCloser: raw.Body, client: c, operation: call.Operation, way: way, asked: r.Context(), ctx: ctx, cancel: cancel, still: still}
	return raw, way, nil
}

// watchBody has still count only the time in which the platform does not read the body.
func (c *Client) watchBody(r *http.Request, still *time.Timer) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	watched := func(body io.ReadCloser) io.ReadCloser {
		return &requestBody{ReadCloser: body, still: still, limit: c.timeout, length: r.ContentLength}
	}
	r.Body = watched(r.Body)
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return watched(body), nil
		}
	}
}

const (
	// inFlight limits how much of a body may be sent and not yet read by the platform: it
	// waits in the buffers of both systems and of those between.
	inFlight = 16 << 20
	// slowest is the lowest rate, in bytes a second, at which the platform is expected to
	// read.
	slowest = 128 << 10
)

// requestBody is the body of a request. The platform's time is stopped during reads from the
// client; after the last byte, the platform has the time to read what is in flight.
type requestBody struct {
	io.ReadCloser
	still  *time.Timer
	limit  time.Duration
	length int64 // -1 if unknown
	sent   int64
}

func (b *requestBody) Read(p []byte) (n int, err error) {
	b.still.Stop()
	n, err = b.ReadCloser.Read(p)
	b.sent += int64(n)
	wait := b.limit
	if err == io.EOF || b.sent == b.length {
		wait += time.Duration(min(b.sent, inFlight)) * time.Second / slowest
	}
	b.still.Reset(wait)
	return n, err
}

// begin starts the clock of a call; the caller then calls ended with the call's result, which
// the request's log line tells.
func (c *Client) begin(ctx context.Context, operation string) (ended func(*response, error)) {
	note := func(r *response, how string) {
		call := operation + ":" + how
		if r != nil && r.correlation() != "" {
			call += ":" + r.correlation()
		}
		reqctx.From(ctx).NoteCall(call)
	}
	if c.observe == nil {
		return func(r *response, err error) { note(r, outcome(ctx, r, err)) }
	}
	start := c.now()
	return func(r *response, err error) {
		how := outcome(ctx, r, err)
		note(r, how)
		c.observe(Observation{Operation: operation, Outcome: how, Elapsed: c.now().Sub(start)})
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
	case is[*truncatedError](err), is[*tooLargeError](err), is[*unreadableError](err):
		return OutcomeBroken
	case untrusted(err):
		return OutcomeUntrusted
	}
	return OutcomeUnreachable
}
