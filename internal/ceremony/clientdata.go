package ceremony

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

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
	// Optional members are kept raw, to tell null from absent.
	CrossOrigin  jsontext.Value `json:"crossOrigin"`
	TopOrigin    jsontext.Value `json:"topOrigin"`
	TokenBinding jsontext.Value `json:"tokenBinding"`
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
	switch {
	case c.Type == nil || c.Challenge == nil || c.Origin == nil:
		return c, errors.New("clientDataJSON: type, challenge and origin are strings that must be there")
	case !isKind(c.CrossOrigin, 't', 'f'):
		return c, errors.New("clientDataJSON: crossOrigin is not a boolean")
	case !isKind(c.TopOrigin, '"'):
		return c, errors.New("clientDataJSON: topOrigin is not a string")
	case !isKind(c.TokenBinding, '{'):
		return c, errors.New("clientDataJSON: tokenBinding is not an object")
	}
	return c, nil
}

// isKind reports whether v is absent or of one of kinds.
func isKind(v jsontext.Value, kinds ...jsontext.Kind) bool {
	return len(v) == 0 || slices.Contains(kinds, v.Kind())
}

// check checks from the type to the relying party, in the order of Check.
func (a fido2Response) check(rp RelyingParty, p *Pending, got Presented) error {
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
	case a.client.CrossOrigin.Kind() == 't':
		return refuse(fault.CeremonyOrigin, "from a frame of another origin")
	case len(a.client.TopOrigin) != 0:
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
