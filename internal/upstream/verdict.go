package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
)

const (
	// comeBack is when to try again if the platform does not say.
	comeBack = 5 * time.Second
	// longestWait caps what the platform says.
	longestWait = 5 * time.Minute
)

// answer is what the platform said, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) success() bool { return a.status >= 200 && a.status <= 299 }

func (a *answer) correlation() string { return printable(a.header.Get("log-correlation-id")) }

// retryAfter reads Retry-After in both its forms. A date is measured against
// the platform's own Date, so that nobody's clock matters.
func (a *answer) retryAfter() time.Duration {
	value := a.header.Get("Retry-After")
	wait := comeBack
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if until, err := http.ParseTime(value); err == nil {
		if now, err := http.ParseTime(a.header.Get("Date")); err == nil {
			wait = until.Sub(now)
		}
	}
	return min(max(wait, time.Second), longestWait)
}

func (a *answer) decode(call Call, out any) error {
	body := bytes.TrimSpace(bytes.TrimPrefix(a.body, []byte("\ufeff")))
	if out == nil || len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: decode the answer: %w", call.Operation, err))
	}
	return nil
}

// verdict makes a row of the catalogue of how the call ended; nil is a 2xx.
func (c *Client) verdict(ctx context.Context, call Call, a *answer, err error) error {
	if err != nil {
		return c.trouble(ctx, call, err)
	}
	if a.success() {
		return nil
	}
	cause := c.refusal(call, a)
	switch {
	case a.status == http.StatusTooManyRequests, a.status == http.StatusServiceUnavailable:
		return fault.Wrap(fault.PlatformUnavailable, cause).After(a.retryAfter())
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden:
		return fault.Wrap(fault.PlatformFailed, cause)
	case a.status >= 400 && a.status <= 499:
		return fault.Wrap(fault.PlatformRefused, cause)
	}
	return fault.Wrap(fault.PlatformFailed, cause)
}

// trouble is the row of a call that got no whole answer.
func (c *Client) trouble(ctx context.Context, call Call, err error) error {
	cause := fmt.Errorf("%s: %w", call.Operation, err)
	open, refused := errors.AsType[*openError](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.Wrap(fault.RequestCancelled, cause)
	case refused:
		return fault.Wrap(fault.PlatformUnavailable, cause).After(max(open.remaining, time.Second))
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.PlatformUnavailable, cause).After(comeBack)
	case is[*addressError](err):
		return fault.Wrap(fault.ServerInternal, cause)
	case is[*cutError](err), is[*oversizeError](err), untrusted(err):
		return fault.Wrap(fault.PlatformFailed, cause)
	}
	return fault.Wrap(fault.PlatformUnavailable, cause).After(comeBack)
}

// is reports whether an error of type E is in err's chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// openError is a call that the circuit breaker did not let through.
type openError struct{ remaining time.Duration }

func (e *openError) Error() string { return "the circuit is open" }

// cutError is an answer that broke off while it was read.
type cutError struct {
	status int
	cause  error
}

func (e *cutError) Error() string { return fmt.Sprintf("answer %d broke off: %v", e.status, e.cause) }
func (e *cutError) Unwrap() error { return e.cause }

// oversizeError is an answer longer than anyone has use for.
type oversizeError struct {
	status int
	limit  int64
}

func (e *oversizeError) Error() string {
	return fmt.Sprintf("answer %d is longer than %d bytes", e.status, e.limit)
}

// addressError is a path that does not lead under the base address.
type addressError struct{ path string }

func (e *addressError) Error() string { return fmt.Sprintf("%q is not under the base address", e.path) }
