package signin

import (
	"context"
	"time"

	"countersign/internal/fault"
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
// (reserve), but never because of pushes: anybody can ask for those.
func (l Limits) TakeAttempt(ctx context.Context, address string, a Attempt) error {
	counts := l.attempts(address, a.User)
	if a.pushes() {
		counts = append(counts, l.unanswered(address, a.User), l.pushes(a.User))
	} else {
		counts = append(counts, peek(l.secondFactor(address, a.User))...)
	}
	return l.Limiter.Take(ctx, counts...)
}

const (
	// reserveWithin limits how long an attempt waits for those that are being tried.
	reserveWithin = 5 * time.Second
	// reserveAgain is the interval at which it looks for their end.
	reserveAgain = 20 * time.Millisecond
)

// reserve takes a place for the second factor that the platform may answer a with, although
// it was not asked for a push; settle gives it back. The places are as many as the second
// factors that may wait: one for an address and an account, and Push for an account. So no
// more than these are sent, however many passwords come at once. An attempt that finds the
// places taken by others that are being tried waits until they are answered; only second
// factors that were sent refuse it.
//
// Only a client that knows the password can use these counts up: the answer to a wrong one
// gives its place back, and pushes that anybody can ask for count apart. A second factor
// counts as a push too, so that further pushes are refused: at once an account gets as many
// of each as Push says, and over time as many of both together.
func (l Limits) reserve(ctx context.Context, address string, a Attempt) error {
	if a.pushes() { // counted as a push
		return nil
	}
	sent := peek(l.secondFactor(address, a.User))
	late := time.After(reserveWithin)
	for {
		_, ok, err := l.Limiter.Allow(ctx, append(l.tried(address, a.User), sent...)...)
		if err != nil || ok {
			return err
		}
		if err := l.Limiter.Take(ctx, sent...); err != nil {
			return err
		}
		select {
		case <-time.After(reserveAgain):
		case <-ctx.Done():
			return fault.Wrap(fault.RequestCancelled, ctx.Err())
		case <-late:
			return fault.New(fault.RequestRate).After(time.Second)
		}
	}
}

// settle ends what reserve began, even if the client has hung up. A second factor that was
// sent keeps its place and counts as a push as well, even where pushes have used that up.
func (l Limits) settle(ctx context.Context, address string, a Attempt, sent bool) error {
	ctx = context.WithoutCancel(ctx)
	switch {
	case a.pushes():
		return nil
	case !sent:
		_ = l.Limiter.Refund(ctx, l.tried(address, a.User)...) // or it is forgotten
		return nil
	}
	counts := append(l.secondFactor(address, a.User), l.unanswered(address, a.User), l.pushes(a.User))
	for i := range counts {
		counts[i].Force = true
	}
	return l.Limiter.Take(ctx, counts...)
}

// secondFactor returns the counts of second factors that wait: one at a time from an address
// to an account, and those from any address.
func (l Limits) secondFactor(address, user string) []ratelimit.Count {
	return l.bySecondFactor("second-factor", address, user)
}

// tried returns the counts of second factors that wait or may be sent yet.
func (l Limits) tried(address, user string) []ratelimit.Count {
	return l.bySecondFactor("second-factor-tried", address, user)
}

func (l Limits) bySecondFactor(name, address, user string) []ratelimit.Count {
	return []ratelimit.Count{
		{Name: name, Subject: pair(address, user), Group: user, Limit: ratelimit.Once(l.PushTTL)},
		{Name: name + "-account", Subject: user, Group: user, Limit: l.Push},
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
		_ = l.Limiter.Refund(ctx, l.secondFactor(p.Address, p.User)[1], l.tried(p.Address, p.User)[1])
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
		counts = append(counts, l.secondFactor(address, user)[0], l.tried(address, user)[0])
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
