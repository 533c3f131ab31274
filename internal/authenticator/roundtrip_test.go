package authenticator_test

import (
	"crypto/sha256"
	"crypto/x509"
	"testing"

	"countersign/internal/authenticator"
)

const (
	rpID   = "example.org"
	origin = "https://login.example.org"
)

func TestFIDO2_AlgorithmsAndAttestations(t *testing.T) {
	t.Parallel()
	aaguid := [16]byte{1, 2, 3, 4}
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for attestation, wants := range map[authenticator.Attestation][2]string{
			authenticator.None:        {"none", "none"},
			authenticator.Packed:      {"packed", "basic_surrogate"},
			authenticator.PackedBasic: {"packed", "basic_full"},
		} {
			t.Run(string(algorithm)+"/"+string(attestation), func(t *testing.T) {
				t.Parallel()
				p := newParty(t)
				p.verifyUV = true
				a := authenticator.NewFIDO2(authenticator.Options{
					Algorithm: algorithm, Attestation: attestation, AAGUID: aaguid, Origin: origin, UserVerifying: true,
				})
				made := p.register(a, map[string]any{"attestation": "direct"})
				object := made.Response.AttestationObject
				if object.Format != wants[0] || object.Type != wants[1] {
					t.Errorf("attestation %s of type %s, want %v", object.Format, object.Type, wants)
				}
				if got := [16]byte(object.AuthData.AttData.AAGUID); got != aaguid {
					t.Errorf("AAGUID %x", got)
				}
				text, err := a.Get(p.request(allow(made.RawID)))
				if err != nil {
					t.Fatalf("get: %v", err)
				}
				if _, err := p.verifyAssertion(text, publicKeyOf(made)); err != nil {
					t.Errorf("verify the assertion: %v (%s)", err, details(err))
				}
			})
		}
	}
}

func TestAttestation_OnlyOnRequest(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Attestation: authenticator.Packed, Origin: origin})
	for conveyance, want := range map[string]string{"": "none", "none": "none", "indirect": "packed", "enterprise": "packed"} {
		extra := map[string]any{}
		if conveyance != "" {
			extra["attestation"] = conveyance
		}
		if got := newParty(t).register(a, extra).Response.AttestationObject.Format; got != want {
			t.Errorf("asked for %q: %s, want %s", conveyance, got, want)
		}
	}
}

func TestAttestation_BasicLeadsToRoot(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Attestation: authenticator.PackedBasic, Origin: origin})
	made := newParty(t).register(a, map[string]any{"attestation": "direct"})
	chain, ok := made.Response.AttestationObject.AttStatement["x5c"].([]any)
	if !ok || len(chain) != 1 {
		t.Fatalf("x5c %v", made.Response.AttestationObject.AttStatement["x5c"])
	}
	leaf, err := x509.ParseCertificate(chain[0].([]byte))
	if err != nil {
		t.Fatal(err)
	}
	root, err := a.Root()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(root)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		t.Errorf("the leaf does not lead to the root: %v", err)
	}
}

func TestFIDO2_Discoverable(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, Discoverable: true})
	made := p.register(a, map[string]any{
		"authenticatorSelection": map[string]any{"residentKey": "required"},
		"extensions":             map[string]any{"credProps": true},
	})
	if props := made.ClientExtensionResults.CredProps; props == nil || props.RK == nil || !*props.RK {
		t.Errorf("credProps %+v, want rk", props)
	}
	text, err := a.Get(p.request(nil))
	if err != nil {
		t.Fatalf("get without a list: %v", err)
	}
	parsed, err := p.verifyAssertion(text, publicKeyOf(made))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(parsed.Response.UserHandle); got != "alice" {
		t.Errorf("user handle %q", got)
	}
}

func TestFIDO2_NotDiscoverable(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	made := p.register(a, nil)
	text, err := a.Get(p.request(allow(made.RawID)))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := p.verifyAssertion(text, publicKeyOf(made))
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Response.UserHandle) != 0 {
		t.Errorf("user handle %q from a credential that is not discoverable", parsed.Response.UserHandle)
	}
}

func TestFIDO2_AppOrigin(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	hash := sha256.Sum256([]byte("certificate"))
	p.origin = "android:apk-key-hash:" + encode(hash[:])
	a := authenticator.NewFIDO2(authenticator.Options{Origin: p.origin})
	made := p.register(a, nil)
	if got := made.Response.CollectedClientData.Origin; got != p.origin {
		t.Errorf("origin %q", got)
	}
}

func TestFIDO2_UserVerification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		able        bool
		requirement string
		want        bool
	}{
		{true, "required", true}, {true, "preferred", true}, {true, "discouraged", false}, {false, "preferred", false},
	} {
		p := newParty(t)
		a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, UserVerifying: c.able})
		made := p.register(a, map[string]any{"authenticatorSelection": map[string]any{"userVerification": c.requirement}})
		if got := made.Response.AttestationObject.AuthData.Flags.UserVerified(); got != c.want {
			t.Errorf("registration, able %t, %s: UV %t", c.able, c.requirement, got)
		}
		extra := allow(made.RawID)
		extra["userVerification"] = c.requirement
		text, err := a.Get(p.request(extra))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := p.verifyAssertion(text, publicKeyOf(made))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Response.AuthenticatorData.Flags.UserVerified(); got != c.want {
			t.Errorf("assertion, able %t, %s: UV %t", c.able, c.requirement, got)
		}
	}
}
