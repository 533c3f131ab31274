package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/ratelimit"
)

// PushSlack is the time for which a push is kept after the person's time to decide, so
// that the client can learn that it is over.
const PushSlack = time.Minute

// pollInterval is the shortest interval between two calls to the platform about one push.
const pollInterval = time.Second

// PendingPush is a sign-in or a transaction that waits for the person's device. It is a
// record of package session, found by its ID.
type PendingPush struct {
	// Kind is ceremony.SignIn or ceremony.Transaction.
	Kind ceremony.Kind `cbor:"1,keyasint"`
	// ID is the requestID that the client knows, RequestID the platform's.
	ID        string `cbor:"2,keyasint"`
	RequestID string `cbor:"3,keyasint"`
	// User is the device's owner, Address the address of the client that requested the
	// push.
	User    string `cbor:"4,keyasint"`
	Address string `cbor:"5,keyasint,omitempty"`
	// Decoy marks a push that reaches nobody.
	Decoy bool `cbor:"6,keyasint,omitempty"`
	// SecondFactor marks a push that the platform sent because a password or a one-time
	// password was right.
	SecondFactor bool      `cbor:"7,keyasint,omitempty"`
	Expiry       time.Time `cbor:"-"`
}

// pushID returns the id by which clients know a push: the platform's requestID if it is a
// random UUID, like a decoy's, else a new one.
func pushID(requestID string) string {
	id, err := uuid.Parse(requestID)
	if err == nil && id.Version() == 4 && id.Variant() == uuid.RFC4122 && id.String() == requestID {
		return requestID
	}
	return uuid.NewString()
}

// RecordKey returns the kind of the record and the ID.
func (p *PendingPush) RecordKey() (kind string, key []byte) { return "p", []byte(p.ID) }

// RecordExpiry returns a pointer to the expiry.
func (p *PendingPush) RecordExpiry() *time.Time { return &p.Expiry }

// NotFound returns sign-in.unknown, whether there was such a push or not.
func (p *PendingPush) NotFound(bool) error { return fault.New(fault.SignInUnknown) }

// Poll returns the state of the push named id, only to the session that it waits under
// (else sign-in.unknown). The platform is asked once a second at most, over all nodes; in
// between, a push counts as pending. An accepted sign-in begins the session for exactly
// one of concurrent polls. A transaction begins none.
//
// A push ends as failed where the platform says that it did not reach the device. Only an
// account that exists has such a push, so a client that may not know that (tellsFailure)
// finds it pending until the time to decide is over, and then timed out, like a decoy.
func (s *Service) Poll(ctx context.Context, c Client, id string) (Result, error) {
	push := &PendingPush{ID: id}
	if err := s.Sessions.Peek(ctx, c.Session, push); err != nil {
		return Result{}, err
	}
	result, err := s.status(ctx, c, push)
	if err != nil || result.Status == platform.StatusPending {
		return result, err
	}
	if err := s.Sessions.Consume(ctx, c.Session, push); err != nil {
		return Result{}, err
	}
	result.Push = push
	if push.Kind == ceremony.Transaction {
		return result, nil
	}
	if s.Now().Before(push.decidedBy()) { // or another may be waiting meanwhile
		s.Limits.answered(ctx, push.Address, push.User, push.SecondFactor)
	}
	if result.Status != platform.StatusAccepted {
		return result, nil
	}
	if result.Session, err = s.begin(ctx, c, push.User, MethodPush, nil); err != nil {
		return Result{}, restart(err)
	}
	s.Limits.accepted(ctx, push)
	return result, nil
}

// decidedBy returns the time until which the person can decide.
func (p *PendingPush) decidedBy() time.Time { return p.Expiry.Add(-PushSlack) }

// tellsFailure reports whether the client may know that push did not reach the device: it may
// know of the account, or it gave the right password, or its browser has signed in there before.
func (c Client) tellsFailure(push *PendingPush) bool {
	return push.Kind == ceremony.Transaction || push.SecondFactor || c.seesState(push.User) || c.KnownTo == push.User
}

// status asks the platform, if it may be asked by now. It also asks about decoys, so that
// they take as long; they stay pending until their time is over.
func (s *Service) status(ctx context.Context, c Client, push *PendingPush) (Result, error) {
	result := Result{Status: platform.StatusPending}
	_, ask, err := s.Limits.Limiter.Allow(ctx, ratelimit.Count{Name: "poll", Subject: push.ID, Limit: ratelimit.Once(pollInterval)})
	if err != nil || !ask {
		return result, err
	}
	status, err := s.Identity.SessionStatus(ctx, push.RequestID)
	switch {
	case err == nil && !push.Decoy && status == platform.StatusFailed && !c.tellsFailure(push):
		result.Ended, result.Cause = status, fmt.Errorf("platform: session status %s", status)
	case err == nil && !push.Decoy && status != platform.StatusUnknown: // which a 404 may say as well
		result.Status = status
	case err == nil, fault.Is(err, fault.SignInUnknown):
	case fault.Is(err, fault.PlatformRefused) && push.Kind == ceremony.SignIn && !c.seesState(push.User):
		// The client has not signed in: the platform's reasons against this or that
		// person would distinguish accounts.
		if !push.Decoy {
			result.Cause = err
		}
	default:
		return Result{}, err
	}
	if result.Status == platform.StatusPending && !s.Now().Before(push.decidedBy()) {
		result.Status = platform.StatusTimeout
	}
	return result, nil
}
