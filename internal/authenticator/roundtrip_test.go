package authenticator_test

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"countersign/internal/authenticator"
)

const (
	rpID   = "example.org"
	origin = "https://login.example.org"
)

// party is a relying party that trusts nothing: go-webauthn verifies all of it.
type party struct {
	t         *testing.T
	challenge string
	origin    string
	verifyUV  bool
}

func newParty(t *testing.T) *party {
	t.Helper()
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	return &party{t: t, challenge: encode(random), origin: origin}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// creation is a set of creation options with extra members merged in.
func (p *party) creation(extra map[string]any) string {
	return p.options(map[string]any{
		"challenge": p.challenge,
		"rp":        map[string]any{"id": rpID, "name": "Example"},
		"user":      map[string]any{"id": encode([]byte("alice")), "name": "alice", "displayName": "Alice"},
		"pubKeyCredParams": []any{
			map[string]any{"type": "public-key", "alg": -7},
			map[string]any{"type": "public-key", "alg": -257},
			map[string]any{"type": "public-key", "alg": -8},
		},
	}, extra)
}

func (p *party) request(extra map[string]any) string {
	return p.options(map[string]any{"challenge": p.challenge, "rpId": rpID}, extra)
}

func (p *party) options(base, extra map[string]any) string {
	p.t.Helper()
	maps.Copy(base, extra)
	text, err := json.Marshal(base)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

func (p *party) verifyCreation(text string) (*protocol.ParsedCredentialCreationData, error) {
	p.t.Helper()
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	offered := []protocol.CredentialParameter{
		{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
		{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
		{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	}
	_, err = parsed.Verify(p.challenge, rpID, []string{p.origin}, []string{p.origin}, nil,
		protocol.TopOriginExplicitVerificationMode, false, p.verifyUV, true, nil, offered,
		protocol.AttestationPolicy{}, protocol.SignaturePolicy{})
	return parsed, err
}

func (p *party) verifyAssertion(text string, publicKey []byte) (*protocol.ParsedCredentialAssertionData, error) {
	p.t.Helper()
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return parsed, parsed.Verify(p.challenge, rpID, "", []string{p.origin}, []string{p.origin}, nil,
		protocol.TopOriginExplicitVerificationMode, false, p.verifyUV, true, publicKey, protocol.SignaturePolicy{})
}

// register carries a registration through and returns what the server learned.
func (p *party) register(a *authenticator.FIDO2, extra map[string]any) *protocol.ParsedCredentialCreationData {
	p.t.Helper()
	text, err := a.Create(p.creation(extra))
	if err != nil {
		p.t.Fatalf("create: %v", err)
	}
	parsed, err := p.verifyCreation(text)
	if err != nil {
		p.t.Fatalf("verify the registration: %v (%s)", err, details(err))
	}
	return parsed
}

func details(err error) string {
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return e.Details + " " + e.DevInfo
	}
	return ""
}

func publicKeyOf(parsed *protocol.ParsedCredentialCreationData) []byte {
	return parsed.Response.AttestationObject.AuthData.AttData.CredentialPublicKey
}

func allow(id []byte) map[string]any {
	return map[string]any{"allowCredentials": []any{map[string]any{"type": "public-key", "id": encode(id)}}}
}

func TestEveryAlgorithmAndAttestation(t *testing.T) {
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

func TestAttestationIsGivenOnlyWhenAskedFor(t *testing.T) {
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

func TestBasicAttestationLeadsToTheRoot(t *testing.T) {
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

func TestSignCounterGrows(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	made := p.register(a, nil)
	for want := uint32(1); want <= 3; want++ {
		text, err := a.Get(p.request(allow(made.RawID)))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := p.verifyAssertion(text, publicKeyOf(made))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Response.AuthenticatorData.Counter; got != want {
			t.Errorf("counter %d, want %d", got, want)
		}
	}
}

func TestDiscoverable(t *testing.T) {
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

func TestNotDiscoverable(t *testing.T) {
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

func TestAppOrigin(t *testing.T) {
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

func TestUserVerification(t *testing.T) {
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
