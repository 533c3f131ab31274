package platform

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
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
	// Kind says where the key can be; "" is not known. The platform does not tell it of a
	// passkey: the node that saw its registration does.
	Kind Kind

	// user is whose list it was found in. The paths of one registration name nobody, so
	// without it nothing is changed.
	user string
}

// Kind says where the key of an authenticator can be.
type Kind string

// The kinds.
const (
	// Synced is a passkey that can be on several devices of its person.
	Synced Kind = "synced"
	// DeviceBound is a key that cannot leave its device.
	DeviceBound Kind = "device-bound"
)

// KindOf returns the kind of a passkey, by whether its key may be backed up.
func KindOf(backupEligible bool) Kind {
	if backupEligible {
		return Synced
	}
	return DeviceBound
}

// Authenticators lists user's registrations, in the platform's order: account.unknown if
// the platform does not know user. Rows of other users are dropped and logged.
func (c *Client) Authenticators(ctx context.Context, user string) ([]Authenticator, error) {
	types := []string{""}
	if upstream.Names(listFIDORegistrations.At(c.paths).Path, "type") {
		types = []string{FIDO2, UAF11}
	}
	list := []Authenticator{}
	for _, protocol := range types {
		rows, err := c.registrations(ctx, user, protocol)
		if err != nil {
			return nil, err
		}
		list = slices.Grow(list, len(rows))
		for _, r := range rows {
			if !slices.ContainsFunc(list, func(a Authenticator) bool { return a.ID == r.id() }) {
				list = append(list, r.authenticator(user))
			}
		}
	}
	return list, nil
}

// Authenticator returns user's registration id, as the platform lists it now:
// authenticator.unknown if user has none of that ID.
func (c *Client) Authenticator(ctx context.Context, user, id string) (Authenticator, error) {
	list, err := c.Authenticators(ctx, user)
	if err != nil {
		return Authenticator{}, err
	}
	return Find(list, id)
}

// Find returns the registration id of a user's list: authenticator.unknown if it has none.
func Find(list []Authenticator, id string) (Authenticator, error) {
	at := slices.IndexFunc(list, func(a Authenticator) bool { return a.ID == id })
	if at < 0 {
		return Authenticator{}, fault.Wrap(fault.AuthenticatorUnknown, fmt.Errorf("%s: the user has no such registration", listFIDORegistrations.Name))
	}
	return list[at], nil
}

// Unlisted returns the registration id of user without a look at their list: for cases that
// try what a platform says of one that does not exist. Countersign itself never does that.
func Unlisted(user, id string) Authenticator { return Authenticator{ID: id, user: user} }

// Added returns the id of the one registration that is in after and was not in before, of
// that protocol and, where the platform tells a model, of that one; false if there is none, or
// if several may be meant. The platform's answer to a registration does not name it.
func Added(before, after []Authenticator, protocol, aaguid string) (id string, ok bool) {
	for _, a := range after {
		known := slices.ContainsFunc(before, func(b Authenticator) bool { return b.ID == a.ID })
		if known || a.Protocol != protocol || a.AAGUID != "" && !strings.EqualFold(a.AAGUID, aaguid) {
			continue
		}
		if ok {
			return "", false
		}
		id, ok = a.ID, true
	}
	return id, ok
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

// valuesOf returns the values of the placeholders of user and, unless it is empty, of one
// registration.
func valuesOf(user, registrationID string) map[string]string {
	userID, domain, _ := strings.Cut(user, "@")
	return map[string]string{"user": user, "userID": userID, "domain": domain, "registrationID": registrationID}
}

// RenameAuthenticator gives a, out of its user's list, another name: authenticator.unknown if
// it is there no more.
func (c *Client) RenameAuthenticator(ctx context.Context, a Authenticator, name string) error {
	return c.call(ctx, renameFIDORegistration, exchange{values: valuesOf(a.user, a.ID), body: renameInput{Name: name}})
}

// RemoveAuthenticatorOutput is the remaining step after a removal.
type RemoveAuthenticatorOutput struct {
	// DeregistrationRequest is the JSON text of the UAF message that makes the
	// authenticator delete its key; empty for FIDO2.
	DeregistrationRequest string `json:"deregistrationRequest"`
}

// RemoveAuthenticator removes a, out of its user's list: authenticator.unknown if it is there
// no more. The key of a UAF authenticator is deregistered first, for the message that deletes
// it on the device: if that fails, nothing is removed.
func (c *Client) RemoveAuthenticator(ctx context.Context, a Authenticator) (RemoveAuthenticatorOutput, error) {
	deregistered, err := c.deregister(ctx, a)
	if err != nil {
		return RemoveAuthenticatorOutput{}, err
	}
	var out RemoveAuthenticatorOutput
	err = c.call(ctx, deleteFIDORegistration, exchange{values: valuesOf(a.user, a.ID), out: &out})
	if deregistered != "" && fault.Is(err, fault.AuthenticatorUnknown) { // it went with its key
		err = nil
	}
	if err != nil {
		return RemoveAuthenticatorOutput{}, err
	}
	if out.DeregistrationRequest == "" {
		out.DeregistrationRequest = deregistered
	}
	return out, nil
}

type uafKey struct {
	AAID  string `json:"aaid"`
	KeyID string `json:"keyID"`
}

// deregister returns the message that deletes the key of a on its device; "" if a is no UAF
// authenticator, or the platform has no such key any more.
func (c *Client) deregister(ctx context.Context, a Authenticator) (string, error) {
	if a.Protocol != UAF11 || a.AAID == "" || a.KeyID == "" {
		return "", nil
	}
	var out RemoveAuthenticatorOutput
	err := c.call(ctx, deregisterFIDOUAFKeys, exchange{values: ofUser(a.user), body: []uafKey{{AAID: a.AAID, KeyID: a.KeyID}}, out: &out})
	if refusedBy(err, http.StatusNotFound, http.StatusConflict) {
		return "", nil
	}
	return out.DeregistrationRequest, err
}
