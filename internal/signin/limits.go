package signin

import (
	"context"
	"time"

	"countersign/internal/ratelimit"
)

// Limits are the rate limits of signing in. They fail closed: if they cannot be read, no
// attempt passes. Unknown accounts count like any other.
type Limits struct {
	Limiter *ratelimit.Limiter
	// Attempt limits failed sign-ins per account and address; AttemptAccount, ten times
	// as high, limits those per account from any address.
	Attempt, AttemptAccount ratelimit.Limit
	// Address limits sign-ins per client address.
	Address ratelimit.Limit
	// Push limits pushes per account from any address.
	Push ratelimit.Limit
	// PushTTL is the time that a person has to decide on their device.
	PushTTL time.Duration
}

// TakeAddress counts one sign-in against its client address. Call it before the request's
// body is read.
func (l Limits) TakeAddress(ctx context.Context, address string) error {
	return l.Limiter.Take(ctx, ratelimit.Count{Name: "sign-in-address", Subject: ratelimit.Network(address), Limit: l.Address})
}

// TakeAttempt counts a as failed before it is tried, so that parallel attempts cannot slip
// past the count; success gives it back. A push counts as failed while it waits: an address
// may have one at a time to an account, until it is answered or PushTTL has passed, and Push
// limits those from any address.
func (l Limits) TakeAttempt(ctx context.Context, address string, a Attempt) error {
	counts := l.attempts(address, a.User)
	if a.pushes() {
		counts = append(counts, l.unanswered(address, a.User), l.pushes(a.User))
	}
	return l.Limiter.Take(ctx, counts...)
}

// ResetAttempt gives an attempt back that did not fail, or failed for another reason. If
// Redis is away at that moment, it stays counted until it is forgotten.
func (l Limits) ResetAttempt(ctx context.Context, address string, a Attempt) {
	if a.pushes() {
		l.resetPush(ctx, address, a.User)
		return
	}
	_ = l.Limiter.Refund(ctx, l.attempts(address, a.User)...)
}

// resetPush gives a push back that the person accepted, or that did not reach them.
func (l Limits) resetPush(ctx context.Context, address, user string) {
	_ = l.Limiter.Refund(ctx, append(l.attempts(address, user), l.pushes(user))...)
}

// answered lets the next push from address to user pass, even if the client of the last
// one has hung up.
func (l Limits) answered(ctx context.Context, address, user string) {
	_ = l.Limiter.Refund(context.WithoutCancel(ctx), l.unanswered(address, user))
}

func (l Limits) attempts(address, user string) []ratelimit.Count {
	return []ratelimit.Count{
		{Name: "sign-in", Subject: pair(address, user), Group: user, Limit: l.Attempt},
		{Name: "sign-in-account", Subject: user, Group: user, Limit: l.AttemptAccount},
	}
}

func (l Limits) unanswered(address, user string) ratelimit.Count {
	return ratelimit.Count{Name: "push-unanswered", Subject: pair(address, user), Group: user, Limit: ratelimit.Once(l.PushTTL)}
}

func (l Limits) pushes(user string) ratelimit.Count {
	return ratelimit.Count{Name: "push", Subject: user, Group: user, Limit: l.Push}
}

// pair returns a name for an account and an address together.
func pair(address, user string) string { return user + " " + ratelimit.Network(address) }
