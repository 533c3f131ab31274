package authenticator

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// ClientData is the data that the client collects for the authenticator to sign (Web
// Authentication section 5.8.1), in the order of serialisation.
type ClientData struct {
	Type string `json:"type"`
	// Challenge is base64url.
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
	// TopOrigin is written when it is not nil.
	TopOrigin *string `json:"topOrigin,omitzero"`
}

// The types of client data.
const (
	TypeCreate = "webauthn.create"
	TypeGet    = "webauthn.get"
)

// clientData returns the serialised client data of a ceremony, tampered with.
func (a *FIDO2) clientData(kind string, challenge base64url) ([]byte, error) {
	encoded, err := challenge.MarshalText()
	if err != nil {
		return nil, err
	}
	data := ClientData{Type: kind, Challenge: string(encoded), Origin: a.options.Origin}
	if change := a.tampered.ClientData; change != nil {
		change(&data)
	}
	out, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("serialise the client data: %w", err)
	}
	return changed(out, a.tampered.ClientDataJSON), nil
}
