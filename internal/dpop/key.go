package dpop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// Key is a client's key, which makes proofs with ES256.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey makes a key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Key{private}, nil
}

// ParseKey reads what MarshalJWK wrote.
func ParseKey(jwk []byte) (*Key, error) {
	var key jose.JSONWebKey
	if err := key.UnmarshalJSON(jwk); err != nil {
		return nil, fmt.Errorf("dpop: the key cannot be read: %w", err)
	}
	private, ok := key.Key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("dpop: the key is not a P-256 private key")
	}
	return &Key{private}, nil
}

// MarshalJWK returns the private key as a JWK (RFC 7517).
func (k *Key) MarshalJWK() ([]byte, error) { return jose.JSONWebKey{Key: k.private}.MarshalJSON() }

// Call is the request that a proof is for.
type Call struct {
	// Method and URL are the request's. The URL's query does not count.
	Method, URL string
	// Token is the token that goes with it, "" for none.
	Token string
	// Nonce is the server's newest nonce, "" if it has sent none.
	Nonce string
}

// Prove returns a new proof for one request, made at now.
func (k *Key) Prove(call Call, now time.Time) (string, error) {
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: k.private}, options)
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	said := map[string]any{"jti": rand.Text(), "htm": call.Method, "htu": withoutQuery(call.URL), "iat": now.Unix()}
	if call.Token != "" {
		said["ath"] = hashOf(call.Token)
	}
	if call.Nonce != "" {
		said["nonce"] = call.Nonce
	}
	payload, err := json.Marshal(said, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	return signed.CompactSerialize()
}
