package sandbox_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"countersign/internal/authenticator"
)

// flip returns a function that changes one bit of byte i, and sets there if that byte
// exists.
func flip(i int, there *bool) func([]byte) []byte {
	return func(b []byte) []byte {
		if *there = i < len(b); *there {
			b[i] ^= 0x01
		}
		return b
	}
}

// judged checks that an answer is a refusal in the platform's form: neither accepted nor
// a 5xx.
func judged(t *testing.T, a answer, what string, i int) {
	t.Helper()
	if a.status != http.StatusBadRequest && a.status != http.StatusConflict {
		t.Errorf("byte %d of the %s: %d %s", i, what, a.status, a.text)
	}
	if a.string("message") == "" {
		t.Errorf("byte %d of the %s: no message in %s", i, what, a.text)
	}
}

// Changing any byte of a sign-in's response is detected.
func TestNoByteOfASignInMayChange(t *testing.T) {
	p := start(t)
	device := browser()
	p.register("alice@sandbox", device, nil)
	for what, tamper := range map[string]func(func([]byte) []byte) authenticator.Tampering{
		"signature": func(f func([]byte) []byte) authenticator.Tampering { return authenticator.Tampering{Signature: f} },
		"authenticator data": func(f func([]byte) []byte) authenticator.Tampering {
			// The change after signing can only be detected by the signature.
			var signed []byte
			return authenticator.Tampering{
				AuthDataBytes: func(b []byte) []byte { signed = append([]byte{}, b...); return b },
				Credential: func(c map[string]any) {
					c["response"].(map[string]any)["authenticatorData"] = base64.RawURLEncoding.EncodeToString(f(signed))
				},
			}
		},
	} {
		i := 0
		for there := true; there; i++ {
			tampered := device.With(tamper(flip(i, &there)))
			requestID, response := p.get("alice@sandbox", tampered, nil)
			if there {
				judged(t, p.signIn("alice@sandbox", requestID, response), what, i)
			}
		}
		if i < 37 { // the shortest authenticator data has 37 bytes
			t.Errorf("the %s has but %d bytes", what, i)
		}
	}
	requestID, response := p.get("alice@sandbox", device, nil)
	if a := p.signIn("alice@sandbox", requestID, response); a.status != http.StatusOK {
		t.Errorf("untouched: %d %s", a.status, a.text)
	}
}

// Changing or removing any byte of an attestation is detected.
func TestNoByteOfAnAttestationMayChange(t *testing.T) {
	p := start(t)
	direct := object{"attestation": "direct"}
	device := browser(func(o *authenticator.Options) { o.Attestation = authenticator.Packed })
	try := func(what string, i int, change func([]byte) []byte) bool {
		whole := true
		tampered := device.With(authenticator.Tampering{AttestationObject: func(b []byte) []byte {
			whole = i >= len(b)
			return change(b)
		}})
		requestID, response := p.create("alice@sandbox", tampered, direct)
		if !whole {
			judged(t, p.finish("alice@sandbox", requestID, response), what, i)
		}
		return !whole
	}
	there := true
	for i := 0; try("attestation", i, flip(i, &there)); i++ {
	}
	for i := 0; try("cut attestation", i, func(b []byte) []byte { return b[:min(i, len(b))] }); i += 7 {
	}
	if n := len(p.registrations("alice@sandbox")); n != 0 {
		t.Errorf("%d registrations came of it", n)
	}
	p.register("alice@sandbox", device, direct)
}
