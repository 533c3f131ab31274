package ceremony

import "fmt"

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
	o, _, err := readOptions[creationOptions](request, true)
	if err != nil {
		return Accepted{}, fmt.Errorf("registration request: %w", err)
	}
	out := Accepted{RPID: o.RP.ID, UserID: o.User.ID, Name: o.User.Name, DisplayName: o.User.DisplayName}
	if o.Exclude == nil {
		return out, nil
	}
	out.Credentials = make([]string, 0, len(o.Exclude))
	for _, d := range o.Exclude {
		if d.Type == "public-key" {
			out.Credentials = append(out.Credentials, d.ID)
		}
	}
	return out, nil
}
