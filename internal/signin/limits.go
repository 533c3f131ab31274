package signin

import (
	"context"
	"time"

	"countersign/internal/fault"
	"countersign/internal/ratelimit"
)

// Limits are the rate limits of signing in. They fail closed: when they cannot be read,
// nobody passes. Unknown accounts count like any other.
type Limits struct {
	Limiter *ratelimit.Limiter
	// Attempt bounds failed sign-ins per account and address; AttemptAccount, ten times
	// as many, those per account from anywhere.
	Attempt, AttemptAccount ratelimit.Limit
	// Address bounds sign-ins per client address.
	Address ratelimit.Limit
	// Push bounds pushes per account from anywhere.
	Push ratelimit.Limit
}

// pollInterval is how often the platform is asked at most how one push stands.
const pollInterval = time.Second

// TakeAddress counts one sign-in against its client address. It belongs before the
// request's body is read.
func (l Limits) TakeAddress(ctx context.Context, address string) error {
	return l.take(ctx, "sign-in-address", ratelimit.Network(address), l.Address)
}

// TakeAttempt counts a sign-in of user as failed before it is tried, so that tries in
// parallel cannot slip past the count; success takes it back. A push has not succeeded
// while it waits.
func (l Limits) TakeAttempt(ctx context.Context, address, user string) error {
	if err := l.take(ctx, "sign-in", pair(address, user), l.Attempt); err != nil {
		return err
	}
	return l.take(ctx, "sign-in-account", user, l.AttemptAccount)
}

// ResetAttempts takes an attempt back: it did not fail, or not for its own sake. If
// Redis is away just then, one attempt too many stays counted until it is forgotten.
func (l Limits) ResetAttempts(ctx context.Context, address, user string) {
	_ = l.Limiter.Refund(ctx, "sign-in", pair(address, user), l.Attempt)
	_ = l.Limiter.Refund(ctx, "sign-in-account", user, l.AttemptAccount)
}

// takePush counts one push to user: one from one address until it is answered or ttl is
// over, and those from anywhere.
func (l Limits) takePush(ctx context.Context, address, user string, ttl time.Duration) error {
	if err := l.take(ctx, "push-unanswered", pair(address, user), ratelimit.Once(ttl)); err != nil {
		return err
	}
	err := l.take(ctx, "push", user, l.Push)
	if err != nil {
		l.answered(ctx, address, user, ttl)
	}
	return err
}

// answered lets the next push of address to user pass, even where the client of the last
// one has hung up.
func (l Limits) answered(ctx context.Context, address, user string, ttl time.Duration) {
	_ = l.Limiter.Refund(context.WithoutCancel(ctx), "push-unanswered", pair(address, user), ratelimit.Once(ttl))
}

// resetPush takes back a push that did no harm.
func (l Limits) resetPush(ctx context.Context, user string) {
	_ = l.Limiter.Refund(ctx, "push", user, l.Push)
}

// takePoll reports whether the platform may be asked now about the push named id.
func (l Limits) takePoll(ctx context.Context, id string) (bool, error) {
	_, ok, err := l.Limiter.Allow(ctx, "poll", id, ratelimit.Once(pollInterval))
	return ok, err
}

func (l Limits) take(ctx context.Context, name, subject string, limit ratelimit.Limit) error {
	retryAfter, ok, err := l.Limiter.Allow(ctx, name, subject, limit)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.RequestRate).After(retryAfter)
	}
	return nil
}

// pair names an account and an address together.
func pair(address, user string) string { return user + " " + ratelimit.Network(address) }
