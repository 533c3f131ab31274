package redisdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/fault"
)

// retryAfter is the Retry-After of an outage.
const retryAfter = 2 * time.Second

// Unavailable returns the fault for err, a failure of Redis during the action that doing
// names ("ratelimit: count"): server.unavailable, or request.cancelled if the client went
// away first. Both wrap err.
func Unavailable(ctx context.Context, doing string, err error) error {
	return UnavailableAs(ctx, fault.ServerUnavailable, doing, err)
}

// UnavailableAs is Unavailable with the caller's own key for an outage, such as
// session.unavailable.
func UnavailableAs(ctx context.Context, key fault.Key, doing string, err error) error {
	err = fmt.Errorf("%s: %w", doing, err)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(fault.RequestCancelled, err)
	}
	return fault.Wrap(key, err).After(retryAfter)
}
