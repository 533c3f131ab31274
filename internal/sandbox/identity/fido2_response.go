package identity

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-webauthn/webauthn/protocol"
)

// clientResponse is a client's response with the members that count: unsigned copies and
// the results of extensions, which nobody asked for, are ignored as a FIDO server does.
type clientResponse struct {
	ID       jsontext.Value `json:"id,omitzero"`
	RawID    jsontext.Value `json:"rawId,omitzero"`
	Type     jsontext.Value `json:"type,omitzero"`
	Response struct {
		ClientDataJSON    protocol.URLEncodedBase64 `json:"clientDataJSON"`
		AttestationObject jsontext.Value            `json:"attestationObject,omitzero"`
		AuthenticatorData jsontext.Value            `json:"authenticatorData,omitzero"`
		Signature         jsontext.Value            `json:"signature,omitzero"`
		UserHandle        jsontext.Value            `json:"userHandle,omitzero"`
		Transports        jsontext.Value            `json:"transports,omitzero"`
	} `json:"response"`
}

func parseCreation(text string) (*protocol.ParsedCredentialCreationData, error) {
	response, signed, err := readResponse(text)
	if err != nil {
		return nil, err
	}
	response.Response.AuthenticatorData = nil // a copy of what is attested
	usable, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(usable)
	if err != nil {
		return nil, err
	}
	parsed.Raw.AttestationResponse.ClientDataJSON = signed
	return parsed, nil
}

func parseAssertion(text string) (*protocol.ParsedCredentialAssertionData, error) {
	response, signed, err := readResponse(text)
	if err != nil {
		return nil, err
	}
	usable, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(usable)
	if err != nil {
		return nil, err
	}
	parsed.Raw.AssertionResponse.ClientDataJSON = signed
	return parsed, nil
}

// readResponse reads a response for go-webauthn's parsers, which refuse members of other
// types. signed is the client data that the authenticator has signed.
func readResponse(text string) (r clientResponse, signed []byte, err error) {
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, nil, err
	}
	if !isBase64URL(r.Response.UserHandle) {
		r.Response.UserHandle = nil
	}
	if json.Unmarshal(r.Response.Transports, new([]string)) != nil {
		r.Response.Transports = nil
	}
	signed = r.Response.ClientDataJSON
	r.Response.ClientDataJSON, err = usableClientData(signed)
	return r, signed, err
}

// usableClientData returns client data without token bindings, which Level 3 has given up,
// and without optional members of other types.
func usableClientData(text []byte) ([]byte, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	usable := map[string]jsontext.Value{}
	for name, kinds := range map[string]string{"type": "", "challenge": "", "origin": "", "crossOrigin": "tf", "topOrigin": `"`} {
		value, there := members[name]
		if there && (kinds == "" || strings.ContainsRune(kinds, rune(value.Kind()))) {
			usable[name] = value
		}
	}
	return json.Marshal(usable)
}

func isBase64URL(value jsontext.Value) bool {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return false
	}
	_, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return err == nil
}
