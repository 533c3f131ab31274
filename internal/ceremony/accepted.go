package ceremony

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// Accepted holds what a registration request for FIDO2 tells about its account. IDs are in base64url without padding.
type Accepted struct {
	RPID string
	// UserID is the account's user handle; Name and DisplayName are those that new passkeys
	// get.
	UserID, Name, DisplayName string
	// Credentials are the ids of the account's credentials; nil if the platform names none
	// of them, not even by an empty list.
	Credentials []string
}

// ReadAccepted reads what the platform's registrationRequest for FIDO2 tells about the
// account.
func ReadAccepted(request string) (Accepted, error) {
	o, err := readOptions[creationOptions](request)
	if err != nil {
		return Accepted{}, fmt.Errorf("registration request: %w", err)
	}
	out := Accepted{RPID: o.RP.ID, Name: o.User.Name, DisplayName: o.User.DisplayName}
	if out.UserID, err = plain(o.User.ID); err != nil {
		return Accepted{}, fmt.Errorf("registration request: user.id: %w", err)
	}
	if o.Exclude == nil {
		return out, nil
	}
	out.Credentials = make([]string, 0, len(o.Exclude))
	for _, d := range o.Exclude {
		if d.Type != "public-key" {
			continue
		}
		id, err := plain(d.ID)
		if err != nil {
			return Accepted{}, fmt.Errorf("registration request: excludeCredentials: %w", err)
		}
		out.Credentials = append(out.Credentials, id)
	}
	return out, nil
}

// plain returns base64url without padding: browsers take no other.
func plain(text string) (string, error) {
	b, err := decodeOurs(text)
	if err != nil {
		return "", errors.New("no base64url")
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
