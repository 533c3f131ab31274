package dpop_test

import (
	"crypto/elliptic"
	"strings"
	"testing"

	"countersign/internal/dpop"
)

func TestKey_RoundTrip(t *testing.T) {
	t.Parallel()
	made, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := made.MarshalJWK()
	if err != nil {
		t.Fatal(err)
	}
	key, err := dpop.ParseKey(jwk)
	if err != nil {
		t.Fatal(err)
	}
	nonced := nonces(t, 'a')
	v := verifier(t, nonced)
	var keys []dpop.Thumbprint
	for _, k := range []*dpop.Key{made, key} {
		proof, err := k.Prove(dpop.Call{Method: "GET", URL: origin + "/session?query", Token: token, Nonce: v.Nonce()}, noon)
		if err != nil {
			t.Fatal(err)
		}
		judged, err := v.Verify(request("GET", "/session", proof), token)
		if err != nil || len(judged.ID) < 16 {
			t.Fatalf("%v, %v", judged, err)
		}
		keys = append(keys, judged.Key)
	}
	if keys[0] != keys[1] {
		t.Error("the key that was read is another")
	}
	for _, wrong := range []string{"", "{}", `{"kty":"oct","k":"AAAA"}`, strings.Replace(string(jwk), `"d"`, `"e"`, 1)} {
		if _, err := dpop.ParseKey([]byte(wrong)); err == nil {
			t.Errorf("%q is a key", wrong)
		}
	}
}

func TestChallenge(t *testing.T) {
	if got := dpop.Challenge(dpop.UseNonce); got != `DPoP error="use_dpop_nonce", algs="ES256 ES384 EdDSA Ed25519 PS256"` {
		t.Error(got)
	}
}

func FuzzVerify(f *testing.F) {
	v, s := verifier(f, nil), elliptical(f, "ES256", elliptic.P256())
	genuine := s.jwt(f, s.header(), good())
	f.Add(genuine)
	f.Add(s.jwt(f, with(s.header(), "alg", "none"), good()))
	f.Add("..")
	f.Add(`{"payload":""}`)
	f.Fuzz(func(t *testing.T, proof string) {
		r := request("GET", "/session")
		r.Header["Dpop"] = []string{proof}
		_, err := v.Verify(r, token)
		if err == nil && strings.Split(proof, ".")[1] != strings.Split(genuine, ".")[1] { // each worker has a key of its own
			t.Errorf("taken: %q", proof)
		}
	})
}
