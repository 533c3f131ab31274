package ceremony

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-webauthn/webauthn/protocol"
)

// maxUserHandle is the longest user handle there is (Web Authentication 5.4.3).
const maxUserHandle = 64

// credential is a PublicKeyCredential in the JSON of its toJSON() (Web
// Authentication section 5.1), with a response of type R. What is required is
// tested by its being there, what is optional by its type; members unknown to
// us are the client's business.
type credential[R any] struct {
	ID                      base64url                 `json:"id"`
	RawID                   base64url                 `json:"rawId"`
	Type                    string                    `json:"type"`
	Response                R                         `json:"response"`
	AuthenticatorAttachment *string                   `json:"authenticatorAttachment"`
	ClientExtensionResults  map[string]jsontext.Value `json:"clientExtensionResults"`
}

// attestationResponse answers create(). All but the first two repeat, unsigned,
// what the attestation object says.
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

// userHandle is optional, and some clients write one that they were not told as
// an empty string, not null.
type userHandle []byte

// UnmarshalJSONFrom reads null, "" or a base64url.
func (h *userHandle) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil || value.Kind() == 'n' || string(value) == `""` {
		return err
	}
	return json.Unmarshal(value, (*base64url)(h))
}

func readCredential[R any](text []byte) (c credential[R], err error) {
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("credential: %w", err)
	}
	switch {
	case c.Type != string(protocol.PublicKeyCredentialType):
		return c, errors.New("credential: its type is not public-key")
	case c.ID == nil || c.RawID == nil:
		return c, errors.New("credential: no id or no rawId")
	case !bytes.Equal(c.ID, c.RawID):
		return c, errors.New("credential: id and rawId differ")
	}
	return c, nil
}

func readAttestation(text []byte) (*Response, error) {
	c, err := readCredential[attestationResponse](text)
	if err != nil {
		return nil, err
	}
	client, err := readClientData(c.Response.ClientDataJSON)
	if err != nil {
		return nil, err
	}
	raw, err := readAttestationObject(c.Response.AttestationObject)
	if err != nil {
		return nil, err
	}
	data, err := readNewCredential(raw)
	switch copied := c.Response.AuthenticatorData; {
	case err != nil:
		return nil, err
	case !bytes.Equal(data.AttData.CredentialID, c.RawID):
		return nil, errors.New("attestation object: it attests another credential ID")
	case copied != nil && !bytes.Equal(copied, raw):
		return nil, errors.New("credential: authenticatorData is not that of the attestation object")
	}
	return newFIDO2Response(client, data), nil
}

func readAssertion(text []byte) (*Response, error) {
	c, err := readCredential[assertionResponse](text)
	if err != nil {
		return nil, err
	}
	client, err := readClientData(c.Response.ClientDataJSON)
	if err != nil {
		return nil, err
	}
	data, err := readAuthenticatorData(c.Response.AuthenticatorData)
	switch {
	case err != nil:
		return nil, err
	case data.Flags.HasAttestedCredentialData():
		return nil, errors.New("authenticator data: an assertion attests no credential")
	case c.Response.Signature == nil:
		return nil, errors.New("credential: no signature")
	case len(c.Response.UserHandle) > maxUserHandle:
		return nil, fmt.Errorf("credential: a user handle of %d bytes", len(c.Response.UserHandle))
	}
	return newFIDO2Response(client, data), nil
}

func newFIDO2Response(client clientData, data protocol.AuthenticatorData) *Response {
	return &Response{
		Protocol: FIDO2, Challenge: client.Challenge,
		inner: fido2Response{client: client, rpIDHash: data.RPIDHash},
	}
}
