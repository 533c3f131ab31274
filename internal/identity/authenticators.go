package identity

import (
	"context"
	"time"
)

// Authenticator is one FIDO registration of a user (docs/platform.md I3). What
// the platform does not tell is empty, or the zero time.
type Authenticator struct {
	// ID is the platform's registration ID.
	ID   string
	Name string
	// Protocol is FIDO2 or UAF11.
	Protocol              string
	CreatedAt, LastUsedAt time.Time
	// AAGUID is of a FIDO2 authenticator; AAID and KeyID are of a UAF one.
	AAGUID, AAID, KeyID string
}

type registrationsOutput struct {
	Registrations []registration `json:"registrations"`
}

type registration struct {
	RegistrationID   string    `json:"registrationID"`
	Name             string    `json:"name"`
	Type             string    `json:"type"`
	RegistrationTime timestamp `json:"registrationTime"`
	LastUsedTime     timestamp `json:"lastUsedTime"`
	AAGUID           string    `json:"aaguid"`
	AAID             string    `json:"aaid"`
	KeyID            string    `json:"keyID"`
}

func (r registration) authenticator() Authenticator {
	return Authenticator{
		ID: r.RegistrationID, Name: r.Name, Protocol: r.Type,
		CreatedAt: r.RegistrationTime.Time, LastUsedAt: r.LastUsedTime.Time,
		AAGUID: r.AAGUID, AAID: r.AAID, KeyID: r.KeyID,
	}
}

// Authenticators lists what user has registered, in the platform's order:
// account.unknown where the platform does not know user.
func (c *Client) Authenticators(ctx context.Context, user string) ([]Authenticator, error) {
	var out registrationsOutput
	if err := c.call(ctx, listFIDORegistrations, exchange{values: ofUser(user), out: &out}); err != nil {
		return nil, err
	}
	if out.Registrations == nil {
		// As an empty list, it would make the authenticator that is removed next look
		// like the only one.
		return nil, lacks(listFIDORegistrations, "registrations", nil)
	}
	list := make([]Authenticator, 0, len(out.Registrations))
	for _, r := range out.Registrations {
		if r.RegistrationID == "" {
			return nil, lacks(listFIDORegistrations, "registrationID", nil)
		}
		list = append(list, r.authenticator())
	}
	return list, nil
}

type renameInput struct {
	Name string `json:"name"`
}

func ofRegistration(user, id string) map[string]string {
	return map[string]string{"user": user, "registrationID": id}
}

// RenameAuthenticator gives user's registration id another name:
// authenticator.unknown where it is not theirs.
func (c *Client) RenameAuthenticator(ctx context.Context, user, id, name string) error {
	return c.call(ctx, renameFIDORegistration, exchange{values: ofRegistration(user, id), body: renameInput{Name: name}})
}

// RemoveAuthenticatorOutput is what is left to do after a removal.
type RemoveAuthenticatorOutput struct {
	// DeregistrationRequest is the JSON text of the UAF message that has the
	// authenticator forget its key; empty for FIDO2.
	DeregistrationRequest string `json:"deregistrationRequest"`
}

// RemoveAuthenticator removes user's registration id: authenticator.unknown
// where it is not theirs.
func (c *Client) RemoveAuthenticator(ctx context.Context, user, id string) (RemoveAuthenticatorOutput, error) {
	var out RemoveAuthenticatorOutput
	if err := c.call(ctx, deleteFIDORegistration, exchange{values: ofRegistration(user, id), out: &out}); err != nil {
		return RemoveAuthenticatorOutput{}, err
	}
	return out, nil
}
