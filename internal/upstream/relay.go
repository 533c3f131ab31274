package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"countersign/internal/fault"
)

// Relay sends r to the platform for the operation of that name and hands over the
// response where it is a success, or 304: its body streams, and the caller closes it.
// Everything else is an error, as of JSON. A *fault.Error with which r's body ends is
// returned as it is, and the platform gets no whole request.
//
// The credential is added in place of any Authorization or Cookie, and a URL that is
// not under the base address is refused. Nothing is repeated or capped. A transfer may
// take as long as it moves: Options.Timeout bounds how long the platform keeps still.
func (c *Client) Relay(operation string, r *http.Request) (*http.Response, error) {
	ctx, call := r.Context(), Call{Operation: operation}
	if !c.covers(r.URL) {
		return nil, c.noResponse(ctx, call, &addressError{path: r.URL.Path})
	}
	ended := c.begin(ctx, operation)
	trial, err := c.permit()
	if err != nil {
		ended(nil, err)
		return nil, c.noResponse(ctx, call, err)
	}
	raw, err := c.roundTrip(operation, r)
	if ours, ok := errors.AsType[*fault.Error](err); ok {
		ended(nil, err)
		c.breaker.RecordSuccess()
		return nil, ours
	}
	if err != nil {
		ended(nil, err)
		c.recordRelay(ctx, trial, nil, err)
		return nil, c.noResponse(ctx, call, err)
	}
	got := &response{status: raw.StatusCode, header: raw.Header}
	noteCorrelation(ctx, got.correlation())
	c.recordRelay(ctx, trial, got, nil)
	ended(got, nil)
	if got.success() || got.status == http.StatusNotModified {
		return raw, nil
	}
	defer raw.Body.Close()
	_ = got.read(raw, c.maxResponse) // of an error the status has said what matters
	return nil, c.result(ctx, call, got, nil)
}

// roundTrip sends r once, with our headers, and ends it when the platform keeps still
// for too long.
func (c *Client) roundTrip(operation string, r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	still := time.AfterFunc(c.timeout, func() { cancel(context.DeadlineExceeded) })
	out := r.Clone(ctx)
	out.Header.Del("Cookie")
	out.Host = c.base.Host
	c.setHeaders(ctx, out.Header)
	if out.Body != nil && out.Body != http.NoBody {
		out.Body = &sending{ReadCloser: out.Body, still: still, limit: c.timeout, length: r.ContentLength}
	}
	raw, err := c.exchange(operation, out)
	still.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	raw.Body = &receiving{ReadCloser: raw.Body, still: still, limit: c.timeout, done: func() { cancel(nil) }}
	return raw, nil
}

const (
	// inFlight is how much of a body may have been sent that the platform has not read
	// yet: it waits in the buffers of two systems and whatever is between them.
	inFlight = 16 << 20
	// slowest is how many bytes a second a platform reads that moves.
	slowest = 128 << 10
)

// sending is the body of a request. While the client is waited for, the platform's
// time stands still; when all of it has been sent, the platform is left the time to
// read what is in flight.
type sending struct {
	io.ReadCloser
	still  *time.Timer
	limit  time.Duration
	length int64 // -1 where it is not known
	sent   int64
}

func (b *sending) Read(p []byte) (n int, err error) {
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

// receiving is the body of a response. While the client takes what has come, the
// platform's time stands still.
type receiving struct {
	io.ReadCloser
	still *time.Timer
	limit time.Duration
	done  func()
}

func (b *receiving) Read(p []byte) (int, error) {
	b.still.Reset(b.limit)
	defer b.still.Stop()
	return b.ReadCloser.Read(p)
}

func (b *receiving) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
