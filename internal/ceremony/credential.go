package ceremony

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxUserHandle is the longest allowed user handle (Web Authentication 5.4.3).
const maxUserHandle = 64

// credential is a PublicKeyCredential in the JSON of its toJSON() (Web Authentication
// section 5.1), with a response of type R. Required members are checked for presence,
// optional ones for their type; unknown members are ignored.
type credential[R any] struct {
	ID                      base64url                 `json:"id"`
	RawID                   base64url                 `json:"rawId"`
	Type                    string                    `json:"type"`
	Response                R                         `json:"response"`
	AuthenticatorAttachment *string                   `json:"authenticatorAttachment"`
	ClientExtensionResults  map[string]jsontext.Value `json:"clientExtensionResults"`
}

// attestationResponse answers create(). All but the first two members repeat, unsigned,
// the content of the attestation object.
type attestationResponse struct {
	ClientDataJSON     base64url         `json:"clientDataJSON"`
	AttestationObject  base64url         `json:"attestationObject"`
	AuthenticatorData  nullableBase64URL `json:"authenticatorData"`
	PublicKey          nullableBase64URL `json:"publicKey"`
	PublicKeyAlgorithm *float64          `json:"publicKeyAlgorithm"`
	Transports         []string          `json:"transports"`
}

// assertionResponse answers get().
type assertionResponse struct {
	ClientDataJSON    base64url  `json:"clientDataJSON"`
	AuthenticatorData base64url  `json:"authenticatorData"`
	Signature         base64url  `json:"signature"`
	UserHandle        userHandle `json:"userHandle"`
}

// userHandle is optional; some clients write a missing one as an empty string instead of
// null.
type userHandle []byte

// UnmarshalJSONFrom reads null, "" or a base64url.
func (h *userHandle) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil || value.Kind() == 'n' || string(value) == `""` {
		return err
	}
	return json.Unmarshal(value, (*base64url)(h))
}
