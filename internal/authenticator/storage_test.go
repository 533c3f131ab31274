package authenticator_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"countersign/internal/authenticator"
)

// kept returns an authenticator with a's credentials, stored and restored.
func kept(t *testing.T, a *authenticator.FIDO2) *authenticator.FIDO2 {
	t.Helper()
	stored, err := a.Store()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	var read []authenticator.StoredCredential
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	back := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	for _, one := range read {
		if err := back.Restore(one); err != nil {
			t.Fatal(err)
		}
	}
	return back
}

// A stored credential signs in like the original, with its counter and user handle.
func TestRestore_CredentialSignsIn(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		t.Run(string(algorithm), func(t *testing.T) {
			t.Parallel()
			a := authenticator.NewFIDO2(authenticator.Options{Algorithm: algorithm, Origin: origin, Discoverable: true})
			p := newParty(t)
			made := p.register(a, nil)
			for count := uint32(1); count <= 3; count++ {
				a = kept(t, a)
				text, err := a.Get(p.request(nil))
				if err != nil {
					t.Fatal(err)
				}
				signed, err := p.verifyAssertion(text, publicKeyOf(made))
				if err != nil {
					t.Fatalf("verify the assertion: %v (%s)", err, details(err))
				}
				data := signed.Response.AuthenticatorData
				if data.Counter != count || !bytes.Equal(signed.Response.UserHandle, []byte("alice")) || !bytes.Equal(signed.RawID, made.RawID) {
					t.Errorf("counter %d, user handle %q", data.Counter, signed.Response.UserHandle)
				}
			}
		})
	}
}

// A credential written by hand is checked.
func TestRestore_InvalidCredentials(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	newParty(t).register(a, nil)
	stored, err := a.Store()
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*authenticator.StoredCredential){
		"another algorithm":    func(s *authenticator.StoredCredential) { s.Algorithm = authenticator.RS256 },
		"an unknown algorithm": func(s *authenticator.StoredCredential) { s.Algorithm = "ES384" },
		"no key":               func(s *authenticator.StoredCredential) { s.PrivateKey = nil },
	} {
		s := stored[0]
		spoil(&s)
		if err := authenticator.NewFIDO2(authenticator.Options{}).Restore(s); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
}
