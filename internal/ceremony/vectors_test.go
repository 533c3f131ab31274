package ceremony_test

import (
	"encoding/json"
	"os"
	"testing"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// vector is a ceremony of Web Authentication level 3, section 16, with bytes in the
// clients' encoding.
type vector struct {
	Section    string          `json:"section"`
	Kind       ceremony.Kind   `json:"kind"`
	Framed     bool            `json:"framed"`
	Challenge  string          `json:"challenge"`
	Credential json.RawMessage `json:"credential"`
}

// The specification's own vectors cover every attestation format in real responses. Those
// from inside a frame are well-formed, and refused for their origin.
func TestSpecificationVectors_EveryAttestationFormat(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/webauthn-level-3-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) != 28 {
		t.Errorf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(string(v.Kind)+" "+v.Section, func(t *testing.T) {
			t.Parallel()
			r, err := readKind(v.Kind, string(v.Credential))
			if err != nil {
				t.Fatal(err)
			}
			if encode(r.Challenge) != v.Challenge {
				t.Errorf("challenge %s, want %s", encode(r.Challenge), v.Challenge)
			}
			want := fault.Key("")
			if v.Framed {
				want = fault.CeremonyOrigin
			}
			pending := &ceremony.Pending{Kind: v.Kind, Protocol: ceremony.FIDO2, User: user, Challenge: r.Challenge, RPID: rpID}
			got := ceremony.ClientClaims{Kind: v.Kind, Protocol: ceremony.FIDO2, User: user}
			wantKey(t, v.Section, party.Check(pending, got, r), want)
		})
	}
}

func readKind(kind ceremony.Kind, text string) (*ceremony.Response, error) {
	if kind == ceremony.Registration {
		return ceremony.FromRegistrationResponse(ceremony.FIDO2, text)
	}
	return ceremony.FromAuthenticationResponse(ceremony.FIDO2, text)
}
