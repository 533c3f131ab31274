package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// limitedBody is the body of a response that is relayed. The platform's time is stopped while
// the client takes the bytes, unless the body is read as a whole.
type limitedBody struct {
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
func (b *limitedBody) Read(p []byte) (int, error) {
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
func (b *limitedBody) Close() error {
	b.still.Stop()
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// limitWhole gives the platform the time of Options.Timeout for the rest of the response,
// which a platform that sends a byte now and then would otherwise make endless.
func limitWhole(response *http.Response) {
	if b, ok := response.Body.(*limitedBody); ok {
		b.whole = true
		b.still.Reset(b.client.timeout)
	}
}

// ReadAll reads the body of a response of Relay, limit bytes at most, and within
// Options.Timeout as a whole. check judges it, as Call.Check; nil takes any.
// It returns the errors of JSON.
func ReadAll(raw *http.Response, limit int64, check func(body []byte) error) ([]byte, error) {
	b, ok := raw.Body.(*limitedBody)
	if !ok {
		return nil, fmt.Errorf("upstream: %T is not the body of a relay", raw.Body)
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

// File returns the body of a response of Relay for a caller that reads it as a whole, limit
// bytes at most. A large file may take longer than Options.Timeout, but it must come at
// 128 KiB a second or faster: the time of Options.Timeout begins again only once as many
// bytes have come as that rate gives in it. So a file of n bytes takes Options.Timeout and
// n/128 KiB seconds at most, however the platform drips. Read returns the errors of JSON.
func File(raw *http.Response, limit int64) (io.ReadCloser, error) {
	b, ok := raw.Body.(*limitedBody)
	if !ok {
		return nil, fmt.Errorf("upstream: %T is not the body of a relay", raw.Body)
	}
	limitWhole(raw)
	f := &file{limitedBody: b, status: raw.StatusCode, limit: limit, left: limit}
	f.due = f.pace()
	return f, nil
}

// file is the body of a file that is read as a whole.
type file struct {
	*limitedBody
	status      int
	limit, left int64
	due         int64 // the bytes to come before the time begins again
}

// pace returns how many bytes the slowest platform sends in Options.Timeout.
func (f *file) pace() int64 { return max(1, int64(slowest*f.client.timeout.Seconds())) }

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.limitedBody.Read(p)
	if f.due -= int64(n); f.due <= 0 && err == nil {
		f.due = f.pace()
		f.still.Reset(f.client.timeout)
	}
	f.left -= int64(n)
	switch {
	case f.left < 0:
		err = &tooLargeError{status: f.status, limit: f.limit}
		n = max(0, n+int(f.left))
		f.left = 0
	case err == nil || err == io.EOF: //nolint:errorlint // a reader's end is io.EOF itself
		return n, err
	default:
		err = &truncatedError{status: f.status, cause: err}
	}
	return n, f.client.noResponse(f.asked, Call{Operation: f.operation}, err)
}
