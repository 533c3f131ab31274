package dpop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// A browser proves its key by a JWT of another type (Device Bound Session Credentials): it says
// the challenge that it answers, and no more. Its algorithm is ES256.

// BrowserAlgorithm is the JWS algorithm of browsers' proofs.
const BrowserAlgorithm = "ES256"

// NewBrowserKey reads the proof by which a browser shows a new key: the key, as an uncompressed
// point, and the challenge that the proof answers. The error is a *Refusal.
func NewBrowserKey(proof string) (key []byte, challenge string, err error) {
	var shown publicKey
	challenge, err = browserProof(proof, func(h header) (publicKey, error) {
		shown, err = readKey(h.Algorithm, h.Key)
		return shown, err
	})
	if err != nil {
		return nil, "", err
	}
	point, ok := shown.key.(*ecdsa.PublicKey)
	if !ok {
		return nil, "", invalid("jwk is not a point on the curve")
	}
	if key, err = point.Bytes(); err != nil {
		return nil, "", invalid("jwk is not a point on the curve")
	}
	return key, challenge, nil
}

// BrowserAnswer returns the challenge that a proof of the key answers. The error is a *Refusal.
func BrowserAnswer(proof string, key []byte) (challenge string, err error) {
	point, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), key)
	if err != nil {
		return "", invalid("the session's key is not valid")
	}
	return browserProof(proof, func(header) (publicKey, error) {
		return publicKey{method: jwt.SigningMethodES256, key: point}, nil
	})
}

// browserProof reads a proof by the key that keyOf returns for its header. Browsers may quote it,
// as a text of a structured header (RFC 9651).
func browserProof(proof string, keyOf func(header) (publicKey, error)) (challenge string, err error) {
	if len(proof) > maxProof {
		return "", invalid("the proof is too long")
	}
	if quoted, ok := strings.CutPrefix(proof, `"`); ok {
		proof = strings.TrimSuffix(quoted, `"`)
	}
	p, err := split(proof)
	if err != nil {
		return "", err
	}
	h, err := readHeader(p.head, "dbsc+jwt")
	if err != nil {
		return "", err
	}
	if h.Algorithm != BrowserAlgorithm {
		return "", invalid("alg is not " + BrowserAlgorithm)
	}
	key, err := keyOf(h)
	if err != nil {
		return "", err
	}
	if err := p.signedBy(key); err != nil {
		return "", err
	}
	said, err := readClaims(p.payload)
	return said.ID, err
}
