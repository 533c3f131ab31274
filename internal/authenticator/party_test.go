package authenticator_test

import (
	"crypto/rand"
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

// party is a relying party that verifies everything with go-webauthn.
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

// creation returns creation options with extra members.
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

// register carries a registration through and returns the server's result.
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
