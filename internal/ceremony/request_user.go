package ceremony

import (
	"fmt"
)

// PasskeyUser is the user of a registration request for FIDO2.
type PasskeyUser struct {
	RPID   string
	Handle []byte
	Name   string
}

// ReadUser reads the user out of the platform's registrationRequest for FIDO2.
func ReadUser(request string) (PasskeyUser, error) {
	o, _, err := readOptions[creationOptions](request, true)
	if err != nil {
		return PasskeyUser{}, fmt.Errorf("registration request: %w", err)
	}
	handle, err := decodeOurs(o.User.ID)
	if err != nil {
		return PasskeyUser{}, fmt.Errorf("registration request: user.id: %w", err)
	}
	return PasskeyUser{RPID: o.RP.ID, Handle: handle, Name: o.User.Name}, nil
}

// ReadAllowed reads the ids of the passkeys that the platform's authenticationRequest for FIDO2
// takes, and its relying party ID: nil if it does not name them, not even by an empty list.
func ReadAllowed(request string) (rpID string, allowed [][]byte, err error) {
	o, _, err := readOptions[struct {
		RPID  string        `json:"rpId"`
		Allow *[]descriptor `json:"allowCredentials"`
	}](request, false)
	if err != nil {
		return "", nil, fmt.Errorf("authentication request: %w", err)
	}
	if o.Allow == nil {
		return o.RPID, nil, nil
	}
	allowed = make([][]byte, 0, len(*o.Allow))
	for _, d := range *o.Allow {
		if d.Type != "public-key" {
			continue
		}
		id, err := decodeOurs(d.ID)
		if err != nil {
			return "", nil, fmt.Errorf("authentication request: allowCredentials: %w", err)
		}
		allowed = append(allowed, id)
	}
	return o.RPID, allowed, nil
}
