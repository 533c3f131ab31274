package authenticator_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"

	"countersign/internal/authenticator"
)

// Each tampering spoils only its own part: go-webauthn detects it, for the stated reason.
func TestTampering_Detected(t *testing.T) {
	t.Parallel()
	top := "https://evil.example"
	appended := func(b []byte) []byte { return append(bytes.Clone(b), 0) }
	for name, c := range map[string]struct {
		tampering authenticator.Tampering
		want      string
	}{
		"type":       {authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Type = authenticator.TypeCreate + "d" }}, "ceremony type"},
		"challenge":  {authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Challenge = "AAAA" }}, "challenge"},
		"origin":     {authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.Origin = top }}, "origin"},
		"framed":     {authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.CrossOrigin = true }}, "cross origin"},
		"top origin": {authenticator.Tampering{ClientData: func(c *authenticator.ClientData) { c.TopOrigin = &top }}, "topOrigin"},
		"RP ID":      {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.RPID = "example.com" }}, "RP Hash"},
		"presence":   {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserPresent }}, "User presence"},
		"extensions": {authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Extensions = []byte{0xa0} }}, ""},
		"trailing":   {authenticator.Tampering{AuthDataBytes: appended}, ""},
		"JSON":       {authenticator.Tampering{JSON: func(b []byte) []byte { return b[:len(b)-1] }}, ""},
		"member":     {authenticator.Tampering{Credential: func(m map[string]any) { delete(m, "id") }}, ""},
		"client data bytes": {authenticator.Tampering{ClientDataJSON: func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"type"`), []byte(`"kind"`), 1)
		}}, "ceremony type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newParty(t)
			honest := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
			made := p.register(honest, nil)
			forger := honest.With(c.tampering)

			text, err := forger.Create(p.creation(nil))
			if err != nil {
				t.Fatalf("create: %v", err)
			}
			_, err = p.verifyCreation(text)
			wantRefusal(t, "registration", err, c.want)

			text, err = forger.Get(p.request(allow(made.RawID)))
			if err != nil {
				t.Fatalf("get: %v", err)
			}
			_, err = p.verifyAssertion(text, publicKeyOf(made))
			wantRefusal(t, "assertion", err, c.want)
		})
	}
}

func TestTampering_Attestation(t *testing.T) {
	t.Parallel()
	for name, tampering := range map[string]authenticator.Tampering{
		"statement": {Attestation: func(m map[string]any) { m["attStmt"] = map[string]any{"x": 1} }},
		"bytes":     {AttestationObject: func(b []byte) []byte { return b[:len(b)-1] }},
	} {
		p := newParty(t)
		text, err := authenticator.NewFIDO2(authenticator.Options{Origin: origin}).With(tampering).Create(p.creation(nil))
		if err != nil {
			t.Fatalf("%s: create: %v", name, err)
		}
		if _, err := p.verifyCreation(text); err == nil {
			t.Errorf("%s: went unseen", name)
		}
	}
}

func TestTampering_Signature(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, Algorithm: authenticator.EdDSA})
	made := p.register(a, nil)
	text, err := a.With(authenticator.Tampering{Signature: func(b []byte) []byte {
		b[0] ^= 1
		return b
	}}).Get(p.request(allow(made.RawID)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.verifyAssertion(text, publicKeyOf(made))
	wantRefusal(t, "assertion", err, "assertion signature")
}

func TestFIDO2_AtAnotherOrigin(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	made := p.register(a, nil)
	p.origin = "https://example.org"
	text, err := a.At(p.origin).Get(p.request(allow(made.RawID)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.verifyAssertion(text, publicKeyOf(made)); err != nil {
		t.Errorf("the same credential at another origin: %v", err)
	}
}

func TestJSON_SameAsBrowsers(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, Platform: true, Discoverable: true})
	created, err := a.Create(p.creation(nil))
	if err != nil {
		t.Fatal(err)
	}
	wantMembers(t, created, "authenticatorAttachment clientExtensionResults id rawId response type",
		"attestationObject authenticatorData clientDataJSON publicKey publicKeyAlgorithm transports")
	got, err := a.Get(p.request(nil))
	if err != nil {
		t.Fatal(err)
	}
	wantMembers(t, got, "authenticatorAttachment clientExtensionResults id rawId response type",
		"authenticatorData clientDataJSON signature userHandle")
}

func wantMembers(t *testing.T, text, outer, inner string) {
	t.Helper()
	var credential map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &credential); err != nil {
		t.Fatal(err)
	}
	var response map[string]json.RawMessage
	if err := json.Unmarshal(credential["response"], &response); err != nil {
		t.Fatal(err)
	}
	for object, want := range map[string]map[string]json.RawMessage{outer: credential, inner: response} {
		names := strings.Fields(object)
		if len(names) != len(want) {
			t.Errorf("%d members, want %v", len(want), names)
		}
		for _, name := range names {
			if _, ok := want[name]; !ok {
				t.Errorf("no member %s in %s", name, text)
			}
		}
	}
}

func wantRefusal(t *testing.T, what string, err error, reason string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: went unseen", what)
		return
	}
	told := err.Error() + " " + details(err)
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		told += e.Type
	}
	if !strings.Contains(strings.ToLower(told), strings.ToLower(reason)) {
		t.Errorf("%s: refused for %q, want %q", what, told, reason)
	}
}
