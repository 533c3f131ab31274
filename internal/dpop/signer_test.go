package dpop_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"countersign/internal/dpop"
)

const (
	origin = "https://countersign.example"
	token  = "5v0m1rJYQ9uEo7wK3nT8cXhLz2aPqR6sVbGdNfUyHkI"
)

var noon = time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

// signer makes JWTs by hand, so that they can be wrong in every way.
type signer struct {
	algorithm string
	jwk       map[string]any
	sign      func(input []byte) []byte
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func elliptical(t testing.TB, algorithm string, curve elliptic.Curve) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	size := (curve.Params().BitSize + 7) / 8
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return signer{algorithm, map[string]any{"kty": "EC", "crv": curve.Params().Name, "x": text(point[1 : 1+size]), "y": text(point[1+size:])}, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		digest := sum[:]
		if size > 32 {
			long := sha512.Sum384(input)
			digest = long[:]
		}
		r, s, err := ecdsa.Sign(rand.Reader, key, digest)
		if err != nil {
			t.Fatal(err)
		}
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	}}
}

func edwards(t testing.TB, algorithm string) signer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{algorithm, map[string]any{"kty": "OKP", "crv": "Ed25519", "x": text(public)}, func(input []byte) []byte { return ed25519.Sign(private, input) }}
}

// moduli are RSA keys by their bits; they take long to make.
var moduli = sync.OnceValue(func() map[int]*rsa.PrivateKey {
	keys := map[int]*rsa.PrivateKey{}
	for _, bits := range []int{2040, 2048, 4104} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			panic(err)
		}
		keys[bits] = key
	}
	return keys
})

func rivest(t testing.TB, algorithm string, bits int) signer {
	t.Helper()
	key := moduli()[bits]
	return signer{algorithm, map[string]any{"kty": "RSA", "n": text(key.N.Bytes()), "e": text(big.NewInt(int64(key.E)).Bytes())}, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		var signature []byte
		var err error
		if algorithm == "RS256" {
			signature, err = rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
		} else {
			signature, err = rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
		}
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}}
}

func (s signer) header() map[string]any {
	return map[string]any{"typ": "dpop+jwt", "alg": s.algorithm, "jwk": s.jwk}
}

func good() map[string]any {
	sum := sha256.Sum256([]byte(token))
	return map[string]any{"jti": "a jti", "htm": "GET", "htu": origin + "/session", "iat": noon.Unix(), "ath": text(sum[:])}
}

// jwt signs a header and a payload, each a JSON text or what is to be one.
func (s signer) jwt(t testing.TB, header, payload any) string {
	t.Helper()
	part := func(v any) string {
		if raw, ok := v.(string); ok {
			return text([]byte(raw))
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text(b)
	}
	input := part(header) + "." + part(payload)
	return input + "." + text(s.sign([]byte(input)))
}

func with(m map[string]any, name string, value any) map[string]any {
	m = maps.Clone(m)
	if m[name] = value; value == nil {
		delete(m, name)
	}
	return m
}

func verifier(t testing.TB, nonces *dpop.Nonces) *dpop.Verifier {
	t.Helper()
	v, err := dpop.NewVerifier(origin, nonces, now)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func request(method, target string, proofs ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for _, proof := range proofs {
		r.Header.Add("DPoP", proof)
	}
	return r
}

// refused checks that err refuses with code, and returns its reason.
func refused(t *testing.T, err error, code dpop.Code) string {
	t.Helper()
	refusal, ok := errors.AsType[*dpop.Refusal](err)
	if !ok || refusal.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	return refusal.Reason
}
