package dpop_test

import (
	"bytes"
	"crypto/elliptic"
	"strings"
	"testing"

	"countersign/internal/dpop"
)

// browserHeader is the header of a browser's proof of s.
func browserHeader(s signer) map[string]any { return with(s.header(), "typ", "dbsc+jwt") }

// A browser shows a key, and proves it later without showing it again.
func TestBrowserKey_ProvedLater(t *testing.T) {
	t.Parallel()
	s, other := elliptical(t, "ES256", elliptic.P256()), elliptical(t, "ES256", elliptic.P256())
	answers := map[string]any{"jti": "a challenge"}
	shown := s.jwt(t, browserHeader(s), answers)
	for _, text := range []string{shown, `"` + shown + `"`} {
		key, challenge, err := dpop.NewBrowserKey(text)
		if err != nil || challenge != "a challenge" {
			t.Fatalf("%q, %v", challenge, err)
		}
		if challenge, err = dpop.BrowserAnswer(s.jwt(t, with(browserHeader(s), "jwk", nil), answers), key); err != nil || challenge != "a challenge" {
			t.Errorf("%q, %v", challenge, err)
		}
		_, err = dpop.BrowserAnswer(other.jwt(t, browserHeader(other), answers), key)
		refused(t, err, dpop.InvalidProof)
	}
	_, err := dpop.BrowserAnswer(shown, bytes.Repeat([]byte{1}, 65))
	refused(t, err, dpop.InvalidProof)
}

func TestBrowserKey_Refused(t *testing.T) {
	t.Parallel()
	s, p384, rsa := elliptical(t, "ES256", elliptic.P256()), elliptical(t, "ES384", elliptic.P384()), rivest(t, "PS256", 2048)
	answers := map[string]any{"jti": "a challenge"}
	good := s.jwt(t, browserHeader(s), answers)
	for name, proof := range map[string]string{
		"none": "", "no JWT": "a.b", "a quote alone": `"`,
		"too long":                 s.jwt(t, browserHeader(s), with(answers, "x", strings.Repeat("x", 9<<10))),
		"a proof of an app":        s.jwt(t, s.header(), answers),
		"ES384":                    p384.jwt(t, browserHeader(p384), answers),
		"PS256":                    rsa.jwt(t, browserHeader(rsa), answers),
		"alg none":                 s.jwt(t, with(browserHeader(s), "alg", "none"), answers),
		"no jwk":                   s.jwt(t, with(browserHeader(s), "jwk", nil), answers),
		"a private jwk":            s.jwt(t, with(browserHeader(s), "jwk", with(s.jwk, "d", "AAAA")), answers),
		"crit":                     s.jwt(t, with(browserHeader(s), "crit", []string{"b64"}), answers),
		"no jti":                   s.jwt(t, browserHeader(s), map[string]any{}),
		"a signature of no bytes":  good[:strings.LastIndex(good, ".")+1],
		"a payload that is a list": s.jwt(t, browserHeader(s), []string{"jti"}),
	} {
		if _, _, err := dpop.NewBrowserKey(proof); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
