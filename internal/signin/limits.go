package signin

import (
	"context"
	"errors"
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
	// Push limits pushes per account from any address, and second factors alike.
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
// limits those from any address. Any other attempt is refused while a second factor waits
// (takeSecondFactor), but never because of pushes: anybody can ask for those.
func (l Limits) TakeAttempt(ctx context.Context, address string, a Attempt) error {
	counts := l.attempts(address, a.User)
	if a.pushes() {
		counts = append(counts, l.unanswered(address, a.User), l.pushes(a.User))
	} else {
		counts = append(counts, peek(l.secondFactor(address, a.User))...)
	}
	return l.Limiter.Take(ctx, counts...)
}

// takeSecondFactor counts a second factor that the platform has sent as the answer to a password:
// as one that waits, of which an address may have one to an account, and an account as many as
// Push says, and as a push too, even where pushes have used that up. Only a client that knows the
// password can use up the first of these counts. Attempts that come at once reach the platform
// before the first of them is counted here: Attempt limits those.
func (l Limits) takeSecondFactor(ctx context.Context, address, user string) error {
	ctx = context.WithoutCancel(ctx)
	push := l.pushes(user)
	push.Force = true
	_, _, err := l.Limiter.Allow(ctx, l.unanswered(address, user)) // where one waits already, that is enough
	return errors.Join(l.Limiter.Take(ctx, l.secondFactor(address, user)...), l.Limiter.Take(ctx, push), err)
}

// secondFactor returns the counts of second factors that wait: one at a time from an address
// to an account, and those from any address.
func (l Limits) secondFactor(address, user string) []ratelimit.Count {
	return []ratelimit.Count{
		{Name: "second-factor", Subject: pair(address, user), Group: user, Limit: ratelimit.Once(l.PushTTL)},
		{Name: "second-factor-account", Subject: user, Group: user, Limit: l.Push},
	}
}

func peek(counts []ratelimit.Count) []ratelimit.Count {
	for i := range counts {
		counts[i].Peek = true
	}
	return counts
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

// accepted gives a push back that the person accepted.
func (l Limits) accepted(ctx context.Context, p *PendingPush) {
	l.resetPush(ctx, p.Address, p.User)
	if p.SecondFactor {
		_ = l.Limiter.Refund(ctx, l.secondFactor(p.Address, p.User)[1])
	}
}

// resetPush gives a push back that the person accepted, or that did not reach them.
func (l Limits) resetPush(ctx context.Context, address, user string) {
	_ = l.Limiter.Refund(ctx, append(l.attempts(address, user), l.pushes(user))...)
}

// answered lets the next push from address to user pass, even if the client of the last
// one has hung up; after a second factor, the next one of these too.
func (l Limits) answered(ctx context.Context, address, user string, secondFactor bool) {
	counts := []ratelimit.Count{l.unanswered(address, user)}
	if secondFactor {
		counts = append(counts, l.secondFactor(address, user)[0])
	}
	_ = l.Limiter.Refund(context.WithoutCancel(ctx), counts...)
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
