package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
	"countersign/internal/reqctx"
)

const (
	// defaultRetryAfter is the retry time if the platform names none.
	defaultRetryAfter = 5 * time.Second
	// maxRetryAfter limits the platform's retry time.
	maxRetryAfter = 5 * time.Minute
	// reserved limits the memory, in bytes, that a Content-Length reserves before the body has come.
	reserved = 1 << 20
)

// response is the platform's response, read to its end.
type response struct {
	status int
	header http.Header
	body   []byte
	broken bool // the body of a refusal did not come whole
	way    *journey
}

func (r *response) success() bool { return r.status >= 200 && r.status <= 299 }

// isOutage reports whether a gateway says that the service is away.
func (r *response) isOutage() bool {
	return r.status == http.StatusBadGateway || r.status == http.StatusServiceUnavailable || r.status == http.StatusGatewayTimeout
}

// correlation returns the platform's id of this exchange; "" if it gives none.
func (r *response) correlation() string { return printable(r.header.Get("Log-Correlation-Id")) }

// newResponse returns the head of raw, and keeps its correlation for our log.
func newResponse(ctx context.Context, raw *http.Response, way *journey) *response {
	r := &response{status: raw.StatusCode, header: raw.Header, way: way}
	if id := r.correlation(); id != "" {
		reqctx.From(ctx).NoteCorrelation(id)
	}
	return r
}

// printable returns s if it can stand in a header and a log line: at most 128 visible
// ASCII characters. Otherwise it returns "".
func printable(s string) string {
	if len(s) > 128 {
		return ""
	}
	for _, b := range []byte(s) {
		if b <= ' ' || b > '~' {
			return ""
		}
	}
	return s
}

// read reads the body of r into memory, if that has the room, limit bytes at most. A body
// that breaks off or is too long is an error only in a success; in a refusal the status is
// enough.
func (r *response) read(raw *http.Response, limit int64, memory []byte) error {
	if !r.success() {
		var err error
		r.body, err = io.ReadAll(io.LimitReader(raw.Body, maxErrorBody))
		r.broken = err != nil
		return nil
	}
	body := bytes.NewBuffer(memory[:0])
	if n := raw.ContentLength; n > 0 && n <= limit {
		body.Grow(int(min(n, reserved)) + bytes.MinRead) // room for finding the end without another buffer
	}
	_, err := body.ReadFrom(io.LimitReader(raw.Body, limit+1))
	r.body = body.Bytes()
	switch {
	case err != nil:
		return &truncatedError{status: r.status, cause: err}
	case int64(len(r.body)) > limit:
		r.body = r.body[:limit]
		return &tooLargeError{status: r.status, limit: limit}
	}
	return nil
}

// check lets the call judge the body of a success. One that belongs to another request has the
// connection closed, since the next one on it would too.
func (r *response) check(call Call) error {
	if call.Check == nil || !r.success() {
		return nil
	}
	if err := call.Check(r.body); err != nil {
		r.way.abandon()
		return &unreadableError{err}
	}
	return nil
}

// retryAfter reads Retry-After in both its forms. A date is compared with the platform's
// own Date, so that our clock does not matter.
func (r *response) retryAfter() time.Duration {
	value := r.header.Get("Retry-After")
	wait := defaultRetryAfter
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if until, err := http.ParseTime(value); err == nil {
		if now, err := http.ParseTime(r.header.Get("Date")); err == nil {
			wait = until.Sub(now)
		}
	}
	return min(max(wait, time.Second), maxRetryAfter)
}

func (r *response) decode(call Call, out any) error {
	body := bytes.TrimSpace(bytes.TrimPrefix(r.body, []byte("\ufeff")))
	if out == nil || len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return Unreadable(fmt.Errorf("%s: decode the response: %w", call.Operation, err))
	}
	return nil
}

// result returns the error of a call's result, or nil for a 2xx.
func (c *Client) result(ctx context.Context, call Call, r *response, err error) error {
	if err != nil {
		return c.noResponse(ctx, call, err)
	}
	if r.success() {
		return nil
	}
	cause := c.refusal(ctx, call, r)
	switch {
	case r.status == http.StatusTooManyRequests, r.status == http.StatusServiceUnavailable:
		return fault.Wrap(fault.PlatformUnavailable, cause).After(r.retryAfter())
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		return fault.Wrap(fault.PlatformFailed, cause)
	case r.status >= 400 && r.status <= 499 && !cause.Foreign:
		return fault.Wrap(fault.PlatformRefused, cause)
	}
	return fault.Wrap(fault.PlatformFailed, cause)
}

// noResponse returns the error of a call that got no whole response.
func (c *Client) noResponse(ctx context.Context, call Call, err error) error {
	cause := fmt.Errorf("%s: %w", call.Operation, err)
	open, refused := errors.AsType[*circuitOpenError](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.Wrap(fault.RequestCancelled, cause)
	case refused:
		return fault.Wrap(fault.PlatformUnavailable, cause).After(max(open.remaining, time.Second))
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.PlatformUnavailable, cause).After(defaultRetryAfter)
	case is[*addressError](err):
		return fault.Wrap(fault.ServerInternal, cause)
	case is[*truncatedError](err), is[*tooLargeError](err), is[*unreadableError](err), untrusted(err):
		return fault.Wrap(fault.PlatformFailed, cause)
	}
	return fault.Wrap(fault.PlatformUnavailable, cause).After(defaultRetryAfter)
}

// is reports whether an error of type E is in err's chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// circuitOpenError is the error of a call that the circuit breaker did not let through.
type circuitOpenError struct{ remaining time.Duration }

func (e *circuitOpenError) Error() string { return "the circuit is open" }

// truncatedError is the error of a response that broke off.
type truncatedError struct {
	status int
	cause  error
}

func (e *truncatedError) Error() string {
	return fmt.Sprintf("response %d broke off: %v", e.status, e.cause)
}
func (e *truncatedError) Unwrap() error { return e.cause }

// tooLargeError is the error of a response longer than Options.MaxResponse.
type tooLargeError struct {
	status int
	limit  int64
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("response %d is longer than %d bytes", e.status, e.limit)
}

// unreadableError is the error of a success with an unexpected body.
type unreadableError struct{ cause error }

func (e *unreadableError) Error() string { return e.cause.Error() }
func (e *unreadableError) Unwrap() error { return e.cause }

// Unreadable returns platform.failed for a success with an unexpected body; cause says
// what is wrong with it.
func Unreadable(cause error) error {
	return fault.Wrap(fault.PlatformFailed, &unreadableError{cause})
}

// IsUnreadable reports whether the service answered but the requested object cannot be
// read: the answer is not as expected, is too long, or is a 500. An outage is not
// unreadable.
func IsUnreadable(err error) bool {
	said, ok := errors.AsType[*Error](err)
	return ok && said.Status == http.StatusInternalServerError || is[*unreadableError](err) || is[*tooLargeError](err)
}

// IsTruncated reports whether the answer was a success that broke off, other than by the end
// of the call's time.
func IsTruncated(err error) bool {
	return fault.Is(err, fault.PlatformFailed) && is[*truncatedError](err)
}

// IsUntried reports whether err is of a call that was not made, since the circuit is open.
func IsUntried(err error) bool { return is[*circuitOpenError](err) }

// IsTimeout reports whether the service did not answer in whole within the time of the
// call. The caller's own time may have ended as well.
func IsTimeout(err error) bool {
	return fault.Is(err, fault.PlatformUnavailable) && errors.Is(err, context.DeadlineExceeded)
}

// addressError is the error of a path that does not lead under the base address.
type addressError struct{ path string }

func (e *addressError) Error() string { return fmt.Sprintf("%q is not under the base address", e.path) }
