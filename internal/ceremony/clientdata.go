package ceremony

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-webauthn/webauthn/protocol"

	"countersign/internal/fault"
)

// clientData holds the members of clientDataJSON that we read (Web Authentication section
// 5.8.1). Browsers do add others.
type clientData struct {
	Type      *string   `json:"type"`
	Challenge base64url `json:"challenge"`
	Origin    *string   `json:"origin"`
	// Optional members may be of any type: what does not say "framed" is left to the platform.
	CrossOrigin jsontext.Value `json:"crossOrigin"`
	TopOrigin   jsontext.Value `json:"topOrigin"`
}

// fido2Response is the part of a FIDO2 response that Check looks at.
type fido2Response struct {
	client   clientData
	rpIDHash []byte
}

func readClientData(text []byte) (c clientData, err error) {
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("clientDataJSON: %w", err)
	}
	if c.Type == nil || c.Challenge == nil || c.Origin == nil {
		return c, errors.New("clientDataJSON: type, challenge and origin are strings that must be there")
	}
	return c, nil
}

// saysTrue reports whether v is true, be it written as a text or a number.
func saysTrue(v jsontext.Value) bool {
	switch strings.ToLower(string(v)) {
	case "true", `"true"`, "1", `"1"`:
		return true
	}
	return false
}

// hasText reports whether v is a string, or has one in it.
func hasText(v jsontext.Value) bool { return bytes.ContainsRune(v, '"') }

// check checks from the type to the relying party, in the order of Check.
func (a fido2Response) check(rp RelyingParty, p *Pending, got ClientClaims) error {
	if want := ceremonyType(got.Kind); protocol.CeremonyType(*a.client.Type) != want {
		return refuse(fault.CeremonyType, "client data of type %.40q, want %q", *a.client.Type, want)
	}
	if err := p.checkChallenge(a.client.Challenge); err != nil {
		return err
	}
	if err := a.checkOrigin(rp); err != nil {
		return err
	}
	// A ceremony of the other protocol has no relying party ID to compare; checkBinding
	// refuses it next, for its protocol.
	want := sha256.Sum256([]byte(p.RPID))
	if p.Protocol == FIDO2 && subtle.ConstantTimeCompare(want[:], a.rpIDHash) != 1 {
		return refuse(fault.CeremonyRP, "the RP ID hash is not that of %q", p.RPID)
	}
	return nil
}

// checkOrigin compares origins as strings, because go-webauthn would fold case and drop
// paths. Our pages are never framed, so a cross-origin caller is not ours.
func (a fido2Response) checkOrigin(rp RelyingParty) error {
	switch {
	case !slices.Contains(rp.Origins, *a.client.Origin):
		return refuse(fault.CeremonyOrigin, "origin %.200q is not one of ours", *a.client.Origin)
	case saysTrue(a.client.CrossOrigin):
		return refuse(fault.CeremonyOrigin, "from a frame of another origin")
	case hasText(a.client.TopOrigin):
		return refuse(fault.CeremonyOrigin, "from a frame below %.200q", a.client.TopOrigin.String())
	}
	return nil
}

func ceremonyType(k Kind) protocol.CeremonyType {
	if k == Registration {
		return protocol.CreateCeremony
	}
	return protocol.AssertCeremony
}
