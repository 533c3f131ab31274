package platform

import (
	"context"
	"time"
)

// Authenticator is a user's FIDO registration (docs/platform.md I3). Members that the
// platform does not send are empty, or the zero time.
type Authenticator struct {
	// ID is the platform's registration ID.
	ID   string
	Name string
	// Protocol is FIDO2 or UAF11.
	Protocol              string
	CreatedAt, LastUsedAt time.Time
	// AAGUID belongs to a FIDO2 authenticator; AAID and KeyID belong to a UAF one.
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

// Authenticators lists user's registrations, in the platform's order: account.unknown if
// the platform does not know user.
func (c *Client) Authenticators(ctx context.Context, user string) ([]Authenticator, error) {
	var out registrationsOutput
	if err := c.call(ctx, listFIDORegistrations, exchange{values: ofUser(user), out: &out}); err != nil {
		return nil, err
	}
	if out.Registrations == nil {
		// If it counted as an empty list, the next removal would seem to concern the only
		// authenticator.
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

// usedWithin is how far the platform's time of a sign-in may be from ours.
const usedWithin = 10 * time.Second

// UsedAt returns the one passkey of the list that was used last at that time, that of a
// sign-in; false if there is none, or if several may be the one. A sign-in tells which
// credential was used, and the platform's list does not name credentials.
func UsedAt(list []Authenticator, at time.Time) (used Authenticator, ok bool) {
	for _, a := range list {
		if a.Protocol != FIDO2 || a.LastUsedAt.IsZero() || a.LastUsedAt.Sub(at).Abs() > usedWithin {
			continue
		}
		if ok {
			return Authenticator{}, false
		}
		used, ok = a, true
	}
	return used, ok
}

type renameInput struct {
	Name string `json:"name"`
}

func ofRegistration(user, id string) map[string]string {
	return map[string]string{"user": user, "registrationID": id}
}

// RenameAuthenticator gives user's registration id another name: authenticator.unknown if
// user has no such registration.
func (c *Client) RenameAuthenticator(ctx context.Context, user, id, name string) error {
	return c.call(ctx, renameFIDORegistration, exchange{values: ofRegistration(user, id), body: renameInput{Name: name}})
}

// RemoveAuthenticatorOutput is the remaining step after a removal.
type RemoveAuthenticatorOutput struct {
	// DeregistrationRequest is the JSON text of the UAF message that makes the
	// authenticator delete its key; empty for FIDO2.
	DeregistrationRequest string `json:"deregistrationRequest"`
}

// RemoveAuthenticator removes user's registration id: authenticator.unknown if user has
// no such registration.
func (c *Client) RemoveAuthenticator(ctx context.Context, user, id string) (RemoveAuthenticatorOutput, error) {
	var out RemoveAuthenticatorOutput
	if err := c.call(ctx, deleteFIDORegistration, exchange{values: ofRegistration(user, id), out: &out}); err != nil {
		return RemoveAuthenticatorOutput{}, err
	}
	return out, nil
}
