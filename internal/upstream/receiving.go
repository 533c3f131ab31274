package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// receiving is the body of a response that is relayed. The platform's time is stopped while
// the client takes the bytes, unless the body is read as a whole.
type receiving struct {
	io.ReadCloser
	client    *Client
	operation string
	way       *journey
	asked     context.Context // the client's
	ctx       context.Context // ends with that, and when the platform has taken too long
	cancel    context.CancelCauseFunc
	still     *time.Timer
	whole     bool
}

// Read implements io.Reader. Its error is context.DeadlineExceeded if the platform has taken too
// long.
func (b *receiving) Read(p []byte) (int, error) {
	if !b.whole {
		b.still.Reset(b.client.timeout)
		defer b.still.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && errors.Is(context.Cause(b.ctx), context.DeadlineExceeded) {
		err = context.DeadlineExceeded
	}
	return n, err
}

// Close implements io.Closer.
func (b *receiving) Close() error {
	b.still.Stop()
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// limitWhole gives the platform the time of Options.Timeout for the rest of the response,
// which a platform that sends a byte now and then would otherwise make endless.
func limitWhole(response *http.Response) {
	if b, ok := response.Body.(*receiving); ok {
		b.whole = true
		b.still.Reset(b.client.timeout)
	}
}

// ReadAll reads the body of a response of Relay, limit bytes at most, and within
// Options.Timeout as a whole. check judges it, as Call.Check; nil takes any.
// The errors are those of JSON.
func ReadAll(raw *http.Response, limit int64, check func(body []byte) error) ([]byte, error) {
	b, ok := raw.Body.(*receiving)
	if !ok {
		return nil, fmt.Errorf("upstream: %T is no body of a relay", raw.Body)
	}
	limitWhole(raw)
	defer b.still.Stop()
	call := Call{Operation: b.operation, Check: check}
	r := &response{status: raw.StatusCode, way: b.way}
	err := r.read(raw, limit, nil)
	if err == nil {
		err = r.check(call)
	}
	if err != nil {
		return nil, b.client.noResponse(b.asked, call, err)
	}
	return r.body, nil
}
