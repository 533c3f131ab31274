package sandbox_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
)

// Built with Go 1.27 or later the platform takes keys of ML-DSA, and what they sign; before, it
// says that they are unsupported.
func TestPublicKey_PostQuantum(t *testing.T) {
	p := start(t)
	for algorithm, sizes := range map[authenticator.Algorithm]struct{ cose, key int }{authenticator.MLDSA44: {-48, 1312}, authenticator.MLDSA65: {-49, 1952}} {
		if !authenticator.Makes(algorithm) {
			made := p.registersKey(cose{1: 7, 3: sizes.cose, -1: bytes.Repeat([]byte{1}, sizes.key)}.encoded(t))
			if made.status != http.StatusConflict || !strings.Contains(made.text, "unsupported") {
				t.Errorf("%s: %d %s", algorithm, made.status, made.text)
			}
			continue
		}
		key := browser(func(o *authenticator.Options) { o.Algorithm, o.Attestation = algorithm, authenticator.Packed })
		p.register("alice@sandbox", key, object{"attestation": "direct"})
		requestID, response := p.get("alice@sandbox", key, nil)
		if in := p.signIn("alice@sandbox", requestID, response); in.status != http.StatusOK {
			t.Errorf("%s: %d %s", algorithm, in.status, in.text)
		}
	}
}
