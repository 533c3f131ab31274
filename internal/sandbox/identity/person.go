package identity

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// Status is what an account may do.
type Status string

// The statuses of an account.
const (
	Active          Status = "active"
	Disabled        Status = "disabled"
	Locked          Status = "locked"
	PasswordExpired Status = "passwordExpired"
)

// DemoPassword is the static password of everybody who was given no other.
const DemoPassword = "Sandbox-1!"

// person is one account: a value, copied out of the directory and back into it.
type person struct {
	id            string // userID@domain
	passKey       string
	displayName   string
	email         string
	phone         string
	status        Status
	handle        []byte // WebAuthn's user.id: random, says nothing about the person
	registrations []registration
	activation    activation
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
	// key is what nobody else may register as well: the credential id, or AAID
	// and KeyID.
	key string
	// credential is what the FIDO2 engine verifies a sign-in with, uaf the UAF
	// engine.
	credential webauthn.Credential
	uaf        uaf.Registration
}

// demoPeople is who lives in the sandbox at its start.
func demoPeople() []person {
	return []person{
		{id: "alice@sandbox", displayName: "Alice Archer", status: Active},
		{id: "bob@sandbox", displayName: "Bob Baker", status: Active},
		{id: "carol@sandbox", displayName: "Carol Carter", status: Active},
		{id: "dave@sandbox", displayName: "Dave Draper", status: Disabled},
		{id: "erin@sandbox", displayName: "Erin Ellis", status: Locked},
		{id: "frank@sandbox", displayName: "Frank Fisher", status: PasswordExpired},
	}
}

// mayAct refuses whom an administrator has shut out. An expired password is no
// such case: it stops the password alone.
func (p person) mayAct() error {
	switch p.status {
	case Disabled:
		return wire.Conflict(wire.UserDisabled)
	case Locked:
		return wire.Conflict(wire.UserLocked)
	default:
		return nil
	}
}

// clone shares nothing that is changed.
func (p person) clone() person {
	p.registrations = slices.Clone(p.registrations)
	p.activation.devices = slices.Clone(p.activation.devices)
	return p
}

func (p person) ofProtocol(protocol string) []registration {
	return slices.DeleteFunc(slices.Clone(p.registrations), func(r registration) bool { return r.protocol != protocol })
}

// use brings the registration that signed up to date.
func (p *person) use(one proof, at time.Time) error {
	i := slices.IndexFunc(p.registrations, func(r registration) bool { return r.id == one.registrationID })
	if i < 0 {
		return errUnknownRegistration()
	}
	changed := p.registrations[i]
	if err := one.commit(&changed); err != nil {
		return err
	}
	changed.lastUsed = at
	p.registrations[i] = changed
	return nil
}

func errUnknownPerson() error { return wire.Refuse(http.StatusNotFound, wire.UserUnknown) }
