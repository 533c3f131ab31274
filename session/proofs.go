package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"countersign/internal/dpop"
	"countersign/internal/fault"

	"github.com/redis/go-redis/v9"
)

// A session may be bound to a key of its client's (RFC 9449): then its token opens it
// only under the scheme DPoP, beside a proof of that key for this very request. The
// session's state holds the key's thumbprint, and every session that continues it is
// bound to the same key.

// Bound reports whether the session is bound to a key.
func (s *Session) Bound() bool { return len(s.state.Key) > 0 }

// Key returns the thumbprint of the key that the session is bound to, or nil. A client that
// loaded a bound session has proved to hold its key.
func (s *Session) Key() []byte { return slices.Clone(s.state.Key) }

// ProofNonce returns the nonce that proofs need now, or "" if they need none.
func (s *Store) ProofNonce() string { return s.proofs.Nonce() }

// Prove returns the thumbprint of the key that r proves to hold, for a session that
// begins with it, and spends the proof. It is for requests whose session is not bound.
// The error is fault.SessionProof if the proof is not good or was used before; any other
// is an outage.
func (s *Store) Prove(r *http.Request) ([]byte, error) {
	proof, err := s.proofs.Verify(r, "")
	if err != nil {
		return nil, unproven(err)
	}
	fresh, err := s.spend(r.Context(), usedProof(proof))
	if err != nil {
		return nil, err
	}
	if !fresh {
		return nil, usedBefore()
	}
	return proof.Key[:], nil
}

// spend writes to Redis that something was used, which has the name used there. It returns false
// if it was used before; the error is an outage.
func (s *Store) spend(ctx context.Context, used string) (bool, error) {
	fresh, err := s.redis.SetNX(ctx, used, "1", dpop.Window).Result()
	if err != nil {
		return false, outage(ctx, "spend a proof", err)
	}
	if fresh {
		s.proofRepeats.Add(useScript, used)
	}
	return fresh, nil
}

// unproven returns the fault of a refusal.
func unproven(refusal error) error { return fault.Wrap(fault.SessionProof, refusal) }

func usedBefore() error {
	return unproven(&dpop.Refusal{Code: dpop.InvalidProof, Reason: "the jti was used before"})
}

// usedProof names a proof in Redis while its jti counts as used. The name depends on the
// proof's key and jti alone, so that no other proof of the key has this jti either.
func usedProof(p dpop.Proof) string { return usedName(append(p.Key[:], p.ID...)) }

// usedName names in Redis what counts as used.
func usedName(what []byte) string {
	sum := sha256.Sum256(what)
	return "cs:p:" + encode(sum[:len(tag{})])
}

// useScript spends a proof again after a failover that may have lost it. Its time is
// dpop.Window.
var useScript = redis.NewScript(fmt.Sprintf(`return redis.call('SET', KEYS[1], '1', 'NX', 'PX', %d)`, dpop.Window.Milliseconds()))

// loadProven reads the session of t, spends the proof that came with it, and sends along, in
// one round trip. It returns false if there is no such session. The error is fault.SessionProof if
// the session is not bound to the proof's key, or the jti was used before; any other is
// an outage.
func (s *Store) loadProven(ctx context.Context, t token, proof dpop.Proof, along ...redis.Cmder) (*Session, bool, error) {
	sess, used := &Session{token: t, tag: t.tag()}, usedProof(proof)
	fresh := redis.NewBoolCmd(ctx, "set", used, "1", "px", dpop.Window.Milliseconds(), "nx")
	read := redis.NewStringCmd(ctx, "get", sess.tag.session())
	pipeline(ctx, s.redis, append(along, read, fresh)...)
	value, err := read.Bytes()
	ok, err := s.opened(ctx, sess, value, err)
	if err == nil {
		if failed := fresh.Err(); failed != nil {
			err = outage(ctx, "spend a proof", failed)
		}
	}
	if err != nil {
		return nil, false, err
	}
	if !ok || !sess.boundTo(proof.Key) {
		if fresh.Val() { // unknown keys do not fill Redis
			_ = s.redis.Del(ctx, used).Err() // else it expires
		}
		if !ok {
			return nil, false, nil
		}
		return nil, false, unproven(&dpop.Refusal{Code: dpop.InvalidToken, Reason: "the token is not bound to the proof's key"})
	}
	if !fresh.Val() {
		return nil, false, usedBefore()
	}
	s.proofRepeats.Add(useScript, used)
	return sess, true, nil
}

// boundTo reports whether the session is bound to key.
func (s *Session) boundTo(key dpop.Thumbprint) bool { return slices.Equal(s.state.Key, key[:]) }

// opened fills in sess from the value of its key, or the error of its GET; it returns false if there is
// no such session.
func (s *Store) opened(ctx context.Context, sess *Session, value []byte, err error) (bool, error) {
	switch {
	case errors.Is(err, redis.Nil):
		s.memory.Forget(sess.tag)
		return false, nil
	case err != nil:
		return false, outage(ctx, "load", err)
	}
	return s.read(sess, value) && !sess.over(s.now()), nil
}

// unproved returns the fault of a bound session's token without the scheme DPoP.
func unproved(r *http.Request) error {
	if len(r.Header[dpop.Header]) == 0 {
		return unproven(&dpop.Refusal{Code: dpop.InvalidProof, Reason: "a bound token without a proof"})
	}
	return unproven(&dpop.Refusal{Code: dpop.InvalidToken, Reason: "a bound token under another scheme"})
}
