package request

import (
	"context"
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/ratelimit"
	"countersign/internal/reqctx"
)

// Limits are the rate limits. They fail closed: when they
// cannot be read, nobody passes.
type Limits struct {
	Limiter *ratelimit.Limiter
	// SignIn bounds failed sign-ins per account and address; SignInAccount, ten
	// times as many, those per account from anywhere.
	SignIn, SignInAccount ratelimit.Limit
	// SignInAddress bounds sign-ins per client address.
	SignInAddress ratelimit.Limit
	// Ceremony bounds ceremonies per session, CeremonyAddress those begun signed
	// out per client address.
	Ceremony, CeremonyAddress ratelimit.Limit
}

// TakeCeremony counts one ceremony, against the session of a signed-in person or
// the address of a signed-out one.
func (l Limits) TakeCeremony(c *gin.Context) error {
	if _, signedIn := Person(c); signedIn {
		return l.take(c.Request.Context(), "ceremony", From(c).Session.ID(), l.Ceremony)
	}
	return l.take(c.Request.Context(), "ceremony-address", network(c.Request.Context()), l.CeremonyAddress)
}

// TakeOrchestration counts a message of the orchestration SDK, signed in or out,
// against its address.
func (l Limits) TakeOrchestration(c *gin.Context) error {
	return l.take(c.Request.Context(), "orchestration", network(c.Request.Context()), l.CeremonyAddress)
}

// TakeSignInAddress counts one sign-in against its client address.
func (l Limits) TakeSignInAddress(c *gin.Context) error {
	return l.take(c.Request.Context(), "sign-in-address", network(c.Request.Context()), l.SignInAddress)
}

// TakeAttempt counts a sign-in of user as failed before it is tried, so that tries
// in parallel cannot slip past the count; success takes it back. One that waits
// for the person's device has not succeeded yet: a stranger's pushes count, as
// do those to accounts that do not exist.
func (l Limits) TakeAttempt(c *gin.Context, user string) error {
	ctx := c.Request.Context()
	if err := l.take(ctx, "sign-in", pair(ctx, user), l.SignIn); err != nil {
		return err
	}
	return l.take(ctx, "sign-in-account", canonical(user), l.SignInAccount)
}

// ResetAttempts takes an attempt back: it did not fail, or not for its own sake. If
// Redis is away just then, one try too many stays counted until it is forgotten.
func (l Limits) ResetAttempts(c *gin.Context, user string) {
	ctx := c.Request.Context()
	_ = l.Limiter.Refund(ctx, "sign-in", pair(ctx, user), l.SignIn)
	_ = l.Limiter.Refund(ctx, "sign-in-account", canonical(user), l.SignInAccount)
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

// network is what one client is known by: its IPv4 address, or the /64 network
// of its IPv6 one, within which it can choose addresses as it likes.
func network(ctx context.Context) string {
	address := reqctx.From(ctx).Address
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	prefix, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

// pair names an account and an address together.
func pair(ctx context.Context, user string) string {
	return canonical(user) + " " + network(ctx)
}

// canonical is a user id as the limits and the decoys know it: one account,
// however its name is typed.
func canonical(user string) string { return strings.ToLower(user) }
