package softuaf_test

import (
	"errors"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

func newAuthenticator(t *testing.T) *softuaf.Authenticator {
	t.Helper()
	authenticator, err := softuaf.New(softuaf.Options{
		AAID: "ABCD#1234", Algorithm: uaf.AlgorithmSecp256k1DER, FacetID: "https://bank.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	return authenticator
}

const challenge = "AAAAAAAAAAAAAAAAAAAAAA"

func registration(t *testing.T, aaid uaf.AAID) string {
	t.Helper()
	text, err := uaf.RegistrationRequest{
		Header:    uaf.NewHeader(uaf.OperationRegistration, "https://bank.example/facets", ""),
		Challenge: challenge, Username: "alice",
		Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{aaid}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAuthenticator_PolicyDecides(t *testing.T) {
	authenticator := newAuthenticator(t)
	if _, err := authenticator.Register(registration(t, "0000#0000")); !errors.Is(err, softuaf.ErrNotAllowed) {
		t.Errorf("registered for another model: %v", err)
	}
	if _, err := authenticator.Register(registration(t, "ABCD#1234")); err != nil {
		t.Fatal(err)
	}
	other := uaf.KeyReference{AAID: "ABCD#1234", KeyID: make([]byte, 32)}
	for appID, want := range map[string]error{"https://bank.example/facets": nil, "https://other.example/facets": softuaf.ErrNoKey} {
		own := uaf.KeyReference{AAID: "ABCD#1234", KeyID: authenticator.Keys[0].ID}
		request := uaf.AuthenticationRequest{
			Header:    uaf.NewHeader(uaf.OperationAuthentication, appID, ""),
			Challenge: challenge, Policy: uaf.AuthenticationPolicy([]uaf.KeyReference{other, own}),
		}
		message, err := request.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := authenticator.Authenticate(message); !errors.Is(err, want) {
			t.Errorf("appID %s: %v, want %v", appID, err, want)
		}
		request.Policy = uaf.AuthenticationPolicy([]uaf.KeyReference{other})
		if message, err = request.Encode(); err != nil {
			t.Fatal(err)
		}
		if _, err := authenticator.Authenticate(message); !errors.Is(err, softuaf.ErrNoKey) {
			t.Errorf("another key's request was answered: %v", err)
		}
	}
}

func TestAuthenticator_UnreadableRequests(t *testing.T) {
	authenticator := newAuthenticator(t)
	if _, err := authenticator.Register("[]"); err == nil {
		t.Error("registered for nothing")
	}
	if _, err := authenticator.Authenticate(registration(t, "ABCD#1234")); err == nil {
		t.Error("authenticated for a registration")
	}
	if _, err := authenticator.Deregister("x"); err == nil {
		t.Error("deregistered for nothing")
	}
}

func TestAuthenticator_KeysAndFormats(t *testing.T) {
	if _, err := softuaf.NewSigner(7); err == nil {
		t.Error("a key for SM2 was made")
	}
	if _, err := softuaf.New(softuaf.Options{Algorithm: 7, Attestation: uaf.TagAttestationFull}); err == nil {
		t.Error("an authenticator for SM2 was made")
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{1, 2, 3, 4, 5, 6, 8, 9} {
		signer, err := softuaf.NewSigner(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []uaf.KeyFormat{uaf.KeyECRaw, uaf.KeyECDER, uaf.KeyRSARaw, uaf.KeyRSADER, 0x104} {
			isRSA := softuaf.DefaultKeyFormat(algorithm) == uaf.KeyRSARaw
			wanted := format < uaf.KeyRSARaw && !isRSA || format >= uaf.KeyRSARaw && format <= uaf.KeyRSADER && isRSA
			if _, err := signer.PublicKey(format); (err == nil) != wanted {
				t.Errorf("algorithm %d in format %#x: %v", algorithm, uint16(format), err)
			}
		}
	}
}
