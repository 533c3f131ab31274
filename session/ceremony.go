package session

import (
	"context"
	"time"
)

// Ceremony is a FIDO exchange that was begun in a session and waits to be finished
// in it: what was asked for, to be held against the answer.
type Ceremony struct {
	// Kind is registration, sign-in or transaction; Protocol is FIDO2 or UAF11.
	Kind     string `cbor:"1,keyasint"`
	Protocol string `cbor:"2,keyasint"`
	// RequestID is the platform's name for the exchange, User the person whose it is.
	RequestID string `cbor:"3,keyasint,omitempty"`
	User      string `cbor:"4,keyasint,omitempty"`
	// Challenge is decoded; the ceremony is found by it.
	Challenge []byte `cbor:"5,keyasint"`
	// RPID is FIDO2's, AppID is UAF's; TransactionHash is of what is confirmed.
	RPID            string `cbor:"6,keyasint,omitempty"`
	AppID           string `cbor:"7,keyasint,omitempty"`
	TransactionHash []byte `cbor:"8,keyasint,omitempty"`
	// Decoy marks an exchange for an account that cannot sign in.
	Decoy bool `cbor:"9,keyasint,omitempty"`
	// Expiry is until when it can be finished: CEREMONY_TTL from now at most, and
	// exactly that when zero.
	Expiry time.Time `cbor:"-"`
}

// Begin remembers a ceremony under the session. Several may be open at once: each is
// found by its own challenge. The error is fault.SessionRequired when the session has
// ended meanwhile, and fault.PlatformFailed when the challenge was spent in it before;
// any other is an outage.
func (s *Store) Begin(ctx context.Context, sess *Session, c Ceremony) error {
	return s.add(ctx, sess, "begin a ceremony", ceremonyKind, c.Challenge, c, c.Expiry)
}

// Spend finds the session's ceremony by the decoded challenge and spends it, exactly
// once over all tries on all nodes: Found to the one who got it, Spent to who comes
// later, Unknown for a challenge that was never issued, has expired or belongs to
// another session. It is for before anything is verified. The error is an outage: the
// ceremony may have been spent, and whoever asked did not get it.
func (s *Store) Spend(ctx context.Context, sess *Session, challenge []byte) (Ceremony, Outcome, error) {
	var c Ceremony
	expiry, outcome, err := s.spend(ctx, sess, "spend a ceremony", recordName(ceremonyKind, challenge), &c)
	if err != nil || outcome != Found {
		return Ceremony{}, outcome, err
	}
	c.Expiry = expiry
	return c, Found, nil
}

// PendingSignIn is a sign-in that waits for the person's decision elsewhere, as on a
// pushed message.
type PendingSignIn struct {
	// RequestID is the platform's name for it; it is found by that.
	RequestID string `cbor:"1,keyasint"`
	// User is who is signing in, Method by what.
	User   string `cbor:"2,keyasint"`
	Method string `cbor:"3,keyasint"`
	// Decoy marks a sign-in of an account that cannot sign in.
	Decoy bool `cbor:"4,keyasint,omitempty"`
	// Expiry is until when it can be asked about: Options.PendingTTL from now at most, and
	// exactly that when zero.
	Expiry time.Time `cbor:"-"`
}

// AddPending remembers a pending sign-in under the session. The errors are Begin's.
func (s *Store) AddPending(ctx context.Context, sess *Session, p PendingSignIn) error {
	return s.add(ctx, sess, "add a pending sign-in", pendingKind, []byte(p.RequestID), p, p.Expiry)
}

// Pending returns the session's pending sign-in called requestID; false when it has
// none that waits. The error is an outage.
func (s *Store) Pending(ctx context.Context, sess *Session, requestID string) (PendingSignIn, bool, error) {
	var p PendingSignIn
	expiry, ok, err := s.peek(ctx, sess, "look for a pending sign-in", recordName(pendingKind, []byte(requestID)), &p)
	if err != nil || !ok {
		return PendingSignIn{}, false, err
	}
	p.Expiry = expiry
	return p, true, nil
}

// TakePending is Pending, and the sign-in no longer waits: over all nodes one caller
// gets it. The error is an outage: it may have been taken, and whoever asked did not
// get it.
func (s *Store) TakePending(ctx context.Context, sess *Session, requestID string) (PendingSignIn, bool, error) {
	var p PendingSignIn
	expiry, outcome, err := s.spend(ctx, sess, "take a pending sign-in", recordName(pendingKind, []byte(requestID)), &p)
	if err != nil || outcome != Found {
		return PendingSignIn{}, false, err
	}
	p.Expiry = expiry
	return p, true, nil
}
