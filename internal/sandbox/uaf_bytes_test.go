package sandbox_test

import (
	"net/http"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// Changing or removing any byte of a UAF assertion is detected.
func TestNoByteOfAUAFAssertionMayChange(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	try := func(what string, i int, change func([]byte) []byte, send func() answer) bool {
		whole := true
		device.Options.Tamper.Encoded = func(b []byte) []byte {
			whole = i >= len(b)
			return change(b)
		}
		defer func() { device.Options.Tamper = softuaf.Tamper{} }()
		a := send()
		if !whole {
			judged(t, a, what, i)
			if code, ok := a.body["uafStatusCode"].(float64); !ok || code < 1400 || code >= 1500 {
				t.Errorf("byte %d of the %s: %s", i, what, a.text)
			}
		}
		return !whole
	}
	enrol := func() answer {
		device.Keys = nil
		return p.finishUAF("alice@sandbox", p.enrol("alice@sandbox", device))
	}
	signIn := func() answer { return p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")) }
	there := true
	cut := func(i int) func([]byte) []byte { return func(b []byte) []byte { return b[:min(i, len(b))] } }

	// The last round changes nothing.
	for i := 0; try("registration", i, flip(i, &there), enrol); i++ {
	}
	if n := len(p.registrations("alice@sandbox")); n != 1 {
		t.Fatalf("%d registrations came of it, want the last one", n)
	}
	for i := 0; try("sign-in", i, flip(i, &there), signIn); i++ {
	}
	for i := 1; try("cut sign-in", i, cut(i), signIn); i += 7 {
	}
	signIn().uaf(t, http.StatusOK, uaf.StatusOK)
	for i := 1; try("cut registration", i, cut(i), enrol); i += 7 {
	}
	if n := len(p.registrations("alice@sandbox")); n != 2 {
		t.Errorf("%d registrations, want one more", n)
	}
}

// The platform answers changes anywhere in the message without a 5xx.
func TestNoByteOfAUAFMessageBreaksThePlatform(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	response := p.sign("alice@sandbox", device, "")
	for i := 0; i < len(response); i += 3 {
		for _, bit := range []byte{0x01, 0x20} {
			text := []byte(response)
			text[i] ^= bit
			a := p.signInUAF("alice@sandbox", string(text))
			switch a.status {
			case http.StatusOK: // A byte that means nothing, such as one of an unknown member's name.
				response = p.sign("alice@sandbox", device, "")
			case http.StatusBadRequest, http.StatusConflict:
			default:
				t.Fatalf("byte %d: %d %s", i, a.status, a.text)
			}
			if a.body["uafStatusCode"] == float64(uaf.StatusRequestInvalid) || a.body["uafStatusCode"] == float64(uaf.StatusUnacceptableContent) {
				response = p.sign("alice@sandbox", device, "") // the challenge may be spent
			}
		}
	}
}
