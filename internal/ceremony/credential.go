package ceremony

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxUserHandle is the longest allowed user handle (Web Authentication 5.4.3).
const maxUserHandle = 64

// credential is a PublicKeyCredential in the JSON of its toJSON() (Web Authentication
// section 5.1), with a response of type R. It has the members that bind something; the
// others are unsigned, and clients write them in many ways, so that they are not judged.
type credential[R any] struct {
	ID       base64url `json:"id"`
	RawID    base64url `json:"rawId"`
	Type     string    `json:"type"`
	Response R         `json:"response"`
}

// attestationResponse answers create(). The last member repeats, unsigned, the content of
// the attestation object.
type attestationResponse struct {
	ClientDataJSON    base64url         `json:"clientDataJSON"`
	AttestationObject base64url         `json:"attestationObject"`
	AuthenticatorData optionalBase64URL `json:"authenticatorData"`
}

// assertionResponse answers get().
type assertionResponse struct {
	ClientDataJSON    base64url         `json:"clientDataJSON"`
	AuthenticatorData base64url         `json:"authenticatorData"`
	Signature         base64url         `json:"signature"`
	UserHandle        optionalBase64URL `json:"userHandle"`
}

// optionalBase64URL is a base64url in an optional member. A value that is none reads as
// absent.
type optionalBase64URL []byte

// UnmarshalJSONFrom reads any value.
func (b *optionalBase64URL) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if json.Unmarshal(value, (*base64url)(b)) != nil {
		*b = nil
	}
	return nil
}
