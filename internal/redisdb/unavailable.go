package redisdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/fault"
)

// retryAfter is when a client may ask again after an outage.
const retryAfter = 2 * time.Second

// Unavailable returns the fault for err, with which Redis failed while doing was
// done ("ratelimit: count"): server.unavailable, or request.cancelled where the
// client went away first. Both wrap err.
func Unavailable(ctx context.Context, doing string, err error) error {
	return UnavailableAs(ctx, fault.ServerUnavailable, doing, err)
}

// UnavailableAs is Unavailable with the row that an outage has for the caller, as
// session.unavailable for sessions.
func UnavailableAs(ctx context.Context, key fault.Key, doing string, err error) error {
	err = fmt.Errorf("%s: %w", doing, err)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(fault.RequestCancelled, err)
	}
	return fault.Wrap(key, err).After(retryAfter)
}
