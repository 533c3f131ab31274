package identity

import (
	"crypto/rand"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/sandbox/wire"
)

// account is a person with the identity platform's data about them. It is a value, copied
// out of the accounts and back into them.
type account struct {
	people.Person
	handle        []byte // WebAuthn's user.id: random, reveals nothing about the person
	registrations []registration
	activation    activation
	modified      time.Time // by a call of the API; zero: never
}

// registration is one FIDO authenticator of a person.
type registration struct {
	id         string
	name       string
	protocol   string // FIDO2 or UAF11
	registered time.Time
	lastUsed   time.Time // zero: never
	aaguid     string    // FIDO2; empty where the authenticator did not tell
	aaid       string    // UAF11
	keyID      string    // UAF11
	// key is unique over all registrations: the credential id, or AAID and KeyID.
	key string
	// credential is the FIDO2 engine's data for verifying a sign-in, uaf the UAF
	// engine's.
	credential webauthn.Credential
	uaf        uafserver.Registration
}

func newHandle() []byte {
	handle := make([]byte, 64)
	_, _ = rand.Read(handle) // never fails
	return handle
}

// mayAct refuses an account that is disabled, locked or expired. An expired password only
// stops sign-ins with the password.
func (a account) mayAct() error {
	switch {
	case a.Disabled:
		return wire.Conflict(userDisabled)
	case a.Locked:
		return wire.Conflict(userLocked)
	case a.Expired: // the platform's message for it is not public
		return wire.Conflict(authenticationFailed)
	default:
		return nil
	}
}

// clone returns a copy that shares no changeable data.
func (a account) clone() account {
	a.registrations = slices.Clone(a.registrations)
	a.activation.devices = slices.Clone(a.activation.devices)
	return a
}

func (a account) ofProtocol(protocol string) []registration {
	return slices.DeleteFunc(slices.Clone(a.registrations), func(r registration) bool { return r.protocol != protocol })
}

// use updates the registration that signed.
func (a *account) use(one assertion, at time.Time) error {
	i := slices.IndexFunc(a.registrations, func(r registration) bool { return r.id == one.registrationID })
	if i < 0 {
		return errUnknownRegistration()
	}
	changed := a.registrations[i]
	if err := one.commit(&changed); err != nil {
		return err
	}
	changed.lastUsed = at
	a.registrations[i] = changed
	return nil
}
