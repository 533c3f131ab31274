package dpop

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"countersign/internal/seal"
)

const (
	minRSA = 2048 // bits of a modulus
	maxRSA = 4096
)

// header is a proof's JOSE header. Members that are not named here have no effect.
type header struct {
	Type      string         `json:"typ"`
	Algorithm string         `json:"alg"`
	Key       jsontext.Value `json:"jwk"`
	Critical  jsontext.Value `json:"crit"`
	Encoded   jsontext.Value `json:"b64"` // RFC 7797: no JWT has it
}

// publicKey is the key of a header, and what the header says about it.
type publicKey struct {
	method     jwt.SigningMethod
	key        any
	thumbprint Thumbprint
}

// keys remembers the keys of headers that were read: a client sends the same header with
// every proof. What it holds is public.
type keys = seal.Memo[string, publicKey]

const (
	// rememberedKeys is the number of headers in a generation of the memory.
	rememberedKeys = 1024
	// rememberedHeader is the length of the longest remembered header: that of an RSA key
	// of 4096 bits has 1000 characters.
	rememberedHeader = 1200
)

func newKeys() *keys { return seal.NewMemo[string, publicKey](rememberedKeys) }

// parts are the parts of a signed JWT: the encoded header, the text that is signed, and what it
// encodes.
type parts struct {
	head, input        string
	payload, signature []byte
}

// split takes a proof apart.
func split(proof string) (p parts, err error) {
	input, encoded, _ := cutLast(proof)
	head, body, ok := strings.Cut(input, ".")
	if !ok || strings.Contains(body, ".") || strings.ContainsAny(proof, "\r\n") {
		return p, invalid("it is not a signed JWT")
	}
	p.head, p.input = head, input
	if p.payload, err = base64url.DecodeString(body); err != nil {
		return p, invalid("the payload is not base64url")
	}
	if p.signature, err = base64url.DecodeString(encoded); err != nil {
		return p, invalid("the signature is not base64url")
	}
	return p, nil
}

// signedBy returns an error unless the key made the signature.
func (p parts) signedBy(key publicKey) error {
	if key.method.Verify(p.input, p.signature, key.key) != nil {
		return invalid("the signature is not the key's")
	}
	return nil
}

// signed returns the key and the payload of a proof whose signature is the key's.
func (v *Verifier) signed(proof string) (publicKey, []byte, error) {
	p, err := split(proof)
	if err != nil {
		return publicKey{}, nil, err
	}
	key, known := v.keys.Get(p.head, nil)
	if !known {
		h, err := readHeader(p.head, "dpop+jwt")
		if err != nil {
			return publicKey{}, nil, err
		}
		if key, err = readKey(h.Algorithm, h.Key); err != nil {
			return publicKey{}, nil, err
		}
	}
	if err := p.signedBy(key); err != nil {
		return publicKey{}, nil, err
	}
	if !known && len(p.head) <= rememberedHeader {
		v.keys.Put(strings.Clone(p.head), nil, key)
	}
	return key, p.payload, nil
}

// base64url is the encoding of a JWT's parts, in its one canonical spelling.
var base64url = base64.RawURLEncoding.Strict()

// cutLast splits a proof before its signature.
func cutLast(proof string) (input, signature string, ok bool) {
	at := strings.LastIndexByte(proof, '.')
	if at < 0 {
		return proof, "", false
	}
	return proof[:at], proof[at+1:], true
}

// readHeader reads the encoded header of a proof of that type.
func readHeader(encoded, typ string) (h header, err error) {
	text, err := base64url.DecodeString(encoded)
	if err != nil {
		return h, invalid("the header is not base64url")
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, invalid("the header is not a JSON object, or has a duplicate member")
	}
	switch {
	case h.Type != typ:
		return h, invalid("typ is not " + typ)
	case h.Critical != nil || h.Encoded != nil:
		return h, invalid("the header has an extension that is not known here")
	}
	return h, nil
}

// privateMembers are the members of a JWK that no proof may reveal.
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"}

// readKey returns the public key of a JWK, of the kind that the algorithm needs.
func readKey(algorithm string, jwk jsontext.Value) (publicKey, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(jwk, &members); err != nil || members == nil {
		return publicKey{}, invalid("jwk is not a JSON object")
	}
	for _, name := range privateMembers {
		if _, there := members[name]; there {
			return publicKey{}, invalid("jwk is not a public key")
		}
	}
	var key jose.JSONWebKey
	if err := key.UnmarshalJSON(jwk); err != nil || !key.Valid() || !key.IsPublic() {
		return publicKey{}, invalid("jwk is not a public key")
	}
	if key.Use != "" && key.Use != "sig" || key.Algorithm != "" && !same(key.Algorithm, algorithm) {
		return publicKey{}, invalid("jwk is for another use")
	}
	method := methodOf(algorithm, key.Key)
	if method == nil {
		return publicKey{}, invalid("alg is not supported, or not the key's")
	}
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil || len(sum) != len(Thumbprint{}) {
		return publicKey{}, invalid("jwk has no thumbprint")
	}
	return publicKey{method, key.Key, Thumbprint(sum)}, nil
}

// same reports whether both names are one algorithm's: EdDSA with a key of Ed25519 is
// Ed25519 (RFC 9864).
func same(a, b string) bool {
	edwards := func(name string) bool { return name == "EdDSA" || name == "Ed25519" }
	return a == b || edwards(a) && edwards(b)
}

// methodOf returns the method of an algorithm that is one of Algorithms and fits the key,
// or nil.
func methodOf(algorithm string, key any) jwt.SigningMethod {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		switch {
		case algorithm == "ES256" && k.Curve == elliptic.P256():
			return jwt.SigningMethodES256
		case algorithm == "ES384" && k.Curve == elliptic.P384():
			return jwt.SigningMethodES384
		}
	case ed25519.PublicKey:
		if same(algorithm, "EdDSA") {
			return jwt.SigningMethodEdDSA
		}
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); algorithm == "PS256" && minRSA <= bits && bits <= maxRSA {
			return jwt.SigningMethodPS256
		}
	}
	return nil
}

// claims are what a proof says. Members that are not named here have no effect.
type claims struct {
	ID     string  `json:"jti"`
	Method string  `json:"htm"`
	URI    string  `json:"htu"`
	Issued float64 `json:"iat"` // Unix seconds; far from now if it is missing
	Token  string  `json:"ath"`
	Nonce  string  `json:"nonce"`
	// Expiry and Begin are Unix seconds, which few proofs have (RFC 7519, 4.1.4 and 4.1.5).
	Expiry *float64 `json:"exp"`
	Begin  *float64 `json:"nbf"`
}

// readClaims reads a payload; jti is there.
func readClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return claims{}, invalid("the payload is not a JSON object with the expected members, or has a duplicate")
	}
	switch {
	case c.ID == "" || utf8.RuneCountInString(c.ID) > maxID:
		return claims{}, invalid("jti is not of 1 to 255 characters")
	case math.Abs(c.Issued) > maxSeconds:
		return claims{}, invalid("iat is not a time")
	}
	return c, nil
}

// maxSeconds is the greatest iat that is read, far beyond any real one.
const maxSeconds = 1e11

// issued returns the time of iat, to the millisecond.
func (c claims) issued() time.Time { return time.UnixMilli(int64(c.Issued * 1000)) }

// within reports whether now is before exp, and not before nbf. A client whose clock is
// ahead may say that its proof begins at its iat.
func (c claims) within(now time.Time) bool {
	seconds := float64(now.UnixMilli()) / 1000
	return (c.Expiry == nil || seconds < *c.Expiry) && (c.Begin == nil || *c.Begin <= max(seconds, c.Issued))
}
