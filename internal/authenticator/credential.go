package authenticator

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

const publicKeyType = "public-key"

// credentialJSON is a PublicKeyCredential in the form of toJSON() (Web Authentication
// section 5.1).
type credentialJSON struct {
	Attachment string         `json:"authenticatorAttachment"`
	Extensions map[string]any `json:"clientExtensionResults"`
	ID         base64url      `json:"id"`
	RawID      base64url      `json:"rawId"`
	Response   any            `json:"response"`
	Type       string         `json:"type"`
}

// attestationJSON is its response to create().
type attestationJSON struct {
	AttestationObject  base64url `json:"attestationObject"`
	AuthenticatorData  base64url `json:"authenticatorData"`
	ClientDataJSON     base64url `json:"clientDataJSON"`
	PublicKey          base64url `json:"publicKey"`
	PublicKeyAlgorithm int64     `json:"publicKeyAlgorithm"`
	Transports         []string  `json:"transports"`
}

// assertionJSON is its response to get().
type assertionJSON struct {
	AuthenticatorData base64url `json:"authenticatorData"`
	ClientDataJSON    base64url `json:"clientDataJSON"`
	Signature         base64url `json:"signature"`
	UserHandle        base64url `json:"userHandle,omitempty"`
}

// toJSON returns the final text, tampered with.
func (a *FIDO2) toJSON(id []byte, extensions map[string]any, response any) (string, error) {
	out, err := json.Marshal(credentialJSON{
		Attachment: a.attachment(), Extensions: extensions,
		ID: id, RawID: id, Response: response, Type: publicKeyType,
	})
	if err == nil && a.tampered.Credential != nil {
		out, err = rewritten(out, a.tampered.Credential)
	}
	if err != nil {
		return "", fmt.Errorf("serialise the credential: %w", err)
	}
	return string(changed(out, a.tampered.JSON)), nil
}

func rewritten(text []byte, change func(map[string]any)) ([]byte, error) {
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	change(members)
	return json.Marshal(members, json.Deterministic(true))
}

func (a *FIDO2) attachment() string {
	if a.options.Platform {
		return "platform"
	}
	return "cross-platform"
}

func (a *FIDO2) transports() []string {
	if a.options.Platform {
		return []string{"internal"}
	}
	return []string{"usb"}
}
