package session

import (
	"bytes"
	"time"
)

// Passkey is a sign-in by FIDO2 or UAF.
type Passkey struct {
	// Protocol is FIDO2 or UAF11.
	Protocol string
	// AAID is the model of a UAF authenticator; "" for FIDO2, whose responses do not tell it.
	AAID string
	// Ceremony is SHA-256 of the challenge.
	Ceremony []byte
	// At is the time of the sign-in, in whole seconds. SignIn sets it.
	At time.Time
}

// usedPasskey is a Passkey as it is stored.
type usedPasskey struct {
	Protocol string `cbor:"1,keyasint"`
	AAID     string `cbor:"2,keyasint,omitempty"`
	Ceremony []byte `cbor:"3,keyasint"`
	At       int64  `cbor:"4,keyasint"` // Unix seconds
}

// Passkey returns the last sign-in by a passkey in this session; false if there was none. A
// later sign-in by other means changes nothing about it.
func (s *Session) Passkey() (Passkey, bool) {
	used := s.state.Passkey
	if used == nil {
		return Passkey{}, false
	}
	return Passkey{Protocol: used.Protocol, AAID: used.AAID, Ceremony: bytes.Clone(used.Ceremony), At: unix(used.At)}, true
}

// used returns p, used at a time, as it is stored.
func (p *Passkey) used(at time.Time) *usedPasskey {
	return &usedPasskey{Protocol: p.Protocol, AAID: p.AAID, Ceremony: p.Ceremony, At: at.Unix()}
}
