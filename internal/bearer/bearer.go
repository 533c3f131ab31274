// Package bearer verifies JWTs (RFC 7519) of another issuer by its published keys (RFC 7517).
package bearer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Options configure a Verifier. All of them are required.
type Options struct {
	// Issuer and Audience are those that a token must name.
	Issuer, Audience string
	// JWKSURL is the address of the issuer's keys.
	JWKSURL string
	// Transport fetches the keys.
	Transport http.RoundTripper
	// Now is the clock.
	Now func() time.Time
}

// Verifier judges the tokens of one issuer. It is safe for concurrent use.
type Verifier struct {
	issuer, audience string
	now              func() time.Time
	keys             *keySet
}

// New returns a Verifier without keys: they are fetched when the first token comes.
func New(o Options) *Verifier {
	return &Verifier{issuer: o.Issuer, audience: o.Audience, now: o.Now, keys: newKeySet(o)}
}

const (
	// maxToken limits the length of a token, in bytes.
	maxToken = 8 << 10
	// leeway is how far the issuer's clock may be from ours.
	leeway = 30 * time.Second
)

// algorithms use public keys: with any other, anybody who knows a public key could sign.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Admits reports whether token is one of the issuer's for the audience, and good now. The
// error is server.unavailable if that cannot be told, because there are no keys.
func (v *Verifier) Admits(ctx context.Context, token string) (bool, error) {
	if len(token) > maxToken {
		return false, nil
	}
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(signed.Headers) != 1 {
		return false, nil //nolint:nilerr // it is no token
	}
	claims, err := v.claims(ctx, signed)
	if err != nil {
		if errors.Is(err, errNoKey) {
			err = nil
		}
		return false, err
	}
	return v.isGood(claims), nil
}

// isGood judges the claims of a token whose signature is the issuer's.
func (v *Verifier) isGood(claims jwt.Claims) bool {
	expected := jwt.Expected{Issuer: v.issuer, AnyAudience: jwt.Audience{v.audience}, Time: v.now()}
	return claims.Expiry != nil && claims.Issuer != "" && claims.ValidateWithLeeway(expected, leeway) == nil
}

// errNoKey says that no key of the issuer's verifies a signature.
var errNoKey = errors.New("bearer: no key verifies the signature")

// claims returns the claims of a token that one of the issuer's keys has signed: of those
// that are known or, as keys are exchanged, of those that are published now.
func (v *Verifier) claims(ctx context.Context, signed *jwt.JSONWebToken) (jwt.Claims, error) {
	known, err := v.keys.known(ctx)
	if err != nil {
		return jwt.Claims{}, err
	}
	if claims, ok := verified(signed, known); ok {
		return claims, nil
	}
	header := signed.Headers[0]
	if header.KeyID != "" && slices.ContainsFunc(known, func(key jose.JSONWebKey) bool { return fits(key, header) }) {
		return jwt.Claims{}, errNoKey // the key of that id is known, and the signature is not its own
	}
	published, err := v.keys.published(ctx)
	if err != nil {
		return jwt.Claims{}, err
	}
	if claims, ok := verified(signed, published); ok {
		return claims, nil
	}
	return jwt.Claims{}, errNoKey
}

// verified returns the claims of a token if one of keys has signed it.
func verified(signed *jwt.JSONWebToken, keys []jose.JSONWebKey) (claims jwt.Claims, ok bool) {
	for _, key := range keys {
		if !fits(key, signed.Headers[0]) {
			continue
		}
		claims = jwt.Claims{}
		if signed.Claims(key.Key, &claims) == nil {
			return claims, true
		}
	}
	return jwt.Claims{}, false
}

// fits reports whether key may have made a signature with that header.
func fits(key jose.JSONWebKey, header jose.Header) bool {
	return (header.KeyID == "" || key.KeyID == header.KeyID) && (key.Algorithm == "" || key.Algorithm == header.Algorithm)
}
