// Package dpop verifies DPoP proofs (RFC 9449): signed JWTs of a client's key, one for each
// request. A token that is bound to the key is refused without it.
//
// The package says whether a proof is good for a request by itself, and names its key and
// its jti. Whether the jti was used before, and which key a token is bound to, is
// package session's to say. It also makes proofs, for programs of our own that are
// clients. It knows no gin and no Redis, and no error of it repeats any part of a proof.
package dpop

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"
)

const (
	// Header is the header that carries a proof, in net/http's canonical spelling.
	Header = "Dpop"
	// NonceHeader is the header that carries the server's newest nonce.
	NonceHeader = "DPoP-Nonce"
	// Scheme is the authentication scheme of bound tokens.
	Scheme = "DPoP"
	// Algorithms are the JWS algorithms of proofs, as WWW-Authenticate lists them.
	Algorithms = "ES256 ES384 EdDSA Ed25519 PS256"

	// tolerance limits the distance of a proof's iat from now, in both directions.
	tolerance = 60 * time.Second
	// Window is the time for which a jti counts as used. No proof is good for longer: from
	// tolerance before its iat until as long after it, by the clocks of two nodes that are
	// apart, with the way from a judgement to Redis.
	Window = 2*tolerance + apart
	// apart limits that distance and that way together.
	apart = 10 * time.Second

	maxProof = 8 << 10 // bytes
	maxID    = 255     // characters of a jti
)

// Thumbprint names a public key: the SHA-256 of its JWK (RFC 7638).
type Thumbprint [sha256.Size]byte

// Proof is a good proof.
type Proof struct {
	// Key is the key that made it.
	Key Thumbprint
	// ID is its jti, unique for the key.
	ID string
}

// Code is an error code of RFC 9449 for WWW-Authenticate.
type Code string

// The codes.
const (
	// InvalidProof is the code of a request whose proof is missing or broken.
	InvalidProof Code = "invalid_dpop_proof"
	// UseNonce is the code of a proof without the server's nonce.
	UseNonce Code = "use_dpop_nonce"
	// InvalidToken is the code of a good proof that does not go with the token.
	InvalidToken Code = "invalid_token"
)

// Refusal is the reason why a request is not the key holder's. Its text is for the log.
type Refusal struct {
	Code   Code
	Reason string
}

// Error returns a fixed text, which has no part of the request.
func (r *Refusal) Error() string { return "dpop: " + r.Reason }

// Challenge returns the value of WWW-Authenticate for code; "" states no error.
func Challenge(code Code) string {
	if code == "" {
		return Scheme + ` algs="` + Algorithms + `"`
	}
	return Scheme + ` error="` + string(code) + `", algs="` + Algorithms + `"`
}

func invalid(reason string) error { return &Refusal{InvalidProof, reason} }

// Verifier judges proofs for one public origin. It is safe for concurrent use.
type Verifier struct {
	origin string
	nonces *Nonces
	now    func() time.Time
	keys   *keys
}

// NewVerifier returns a Verifier for requests to origin, scheme://host[:port]. Each proof
// needs one of nonces; nil asks for none. now is the clock.
func NewVerifier(origin string, nonces *Nonces, now func() time.Time) (*Verifier, error) {
	normal, ok := normalise(origin)
	if !ok {
		return nil, errors.New("dpop: the origin is not a URI")
	}
	return &Verifier{origin: strings.TrimSuffix(normal, "/"), nonces: nonces, now: now, keys: newKeys()}, nil
}

// Nonce returns the newest nonce, or "" if proofs need none.
func (v *Verifier) Nonce() string {
	if v.nonces == nil {
		return ""
	}
	return v.nonces.Newest(v.now())
}

// Verify returns the request's proof if it is good for the request and for token, which
// the request presents under the scheme DPoP; "" if it presents none. The error is a
// *Refusal. A proof that was used before is still good: the caller remembers jti values.
func (v *Verifier) Verify(r *http.Request, token string) (Proof, error) {
	proofs := r.Header[Header]
	switch {
	case len(proofs) == 0:
		return Proof{}, invalid("the request has no proof")
	case len(proofs) > 1:
		return Proof{}, invalid("the request has several proofs")
	case len(proofs[0]) > maxProof:
		return Proof{}, invalid("the proof is too long")
	}
	key, payload, err := v.signed(proofs[0])
	if err != nil {
		return Proof{}, err
	}
	said, err := readClaims(payload)
	if err != nil {
		return Proof{}, err
	}
	if err := v.judge(said, r, token); err != nil {
		return Proof{}, err
	}
	return Proof{Key: key.thumbprint, ID: said.ID}, nil
}

// judge compares what the proof says with the request.
func (v *Verifier) judge(said claims, r *http.Request, token string) error {
	target, ok := normalise(said.URI)
	switch age := v.now().Sub(said.issued()); {
	case said.Method != r.Method:
		return invalid("htm is another method")
	case !ok || target != v.origin+normalPath(pathOf(r)):
		return invalid("htu is another address")
	case age > tolerance || age < -tolerance:
		return invalid("iat is too far from now")
	case !said.within(v.now()):
		return invalid("exp is over, or nbf is yet to come")
	case token != "" && said.Token != hashOf(token):
		return invalid("ath is not the token's")
	case v.nonces != nil && !v.nonces.Good(said.Nonce, v.now()):
		return &Refusal{UseNonce, "the nonce is missing, old or not ours"}
	}
	return nil
}

// hashOf returns the ath of a token.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// HasMultiple reports whether a request carries more than one proof.
func HasMultiple(r *http.Request) bool { return len(r.Header[Header]) > 1 }
