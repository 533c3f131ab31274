package authenticator

import (
	"crypto/sha256"
	"encoding/binary"
)

// The flags of authenticator data (Web Authentication section 6.1).
const (
	FlagUserPresent    byte = 0x01
	FlagUserVerified   byte = 0x04
	FlagBackupEligible byte = 0x08
	FlagBackedUp       byte = 0x10
	FlagAttested       byte = 0x40
	FlagExtensions     byte = 0x80
)

// AuthData is authenticator data in its parts. Parts that are set are written, whatever
// the flags.
type AuthData struct {
	// RPID is written as its SHA-256.
	RPID      string
	Flags     byte
	SignCount uint32
	// Attested is the new credential; nil in an assertion.
	Attested *AttestedCredential
	// Extensions is a CBOR map; nil without any.
	Extensions []byte
}

// AttestedCredential is the attested credential data of section 6.5.2.
type AttestedCredential struct {
	AAGUID [16]byte
	ID     []byte
	// PublicKey is a COSE_Key in CBOR.
	PublicKey []byte
}

func (d AuthData) encode() []byte {
	hash := sha256.Sum256([]byte(d.RPID))
	out := append(hash[:], d.Flags)
	out = binary.BigEndian.AppendUint32(out, d.SignCount)
	if c := d.Attested; c != nil {
		out = append(out, c.AAGUID[:]...)
		out = binary.BigEndian.AppendUint16(out, uint16(len(c.ID)))
		out = append(out, c.ID...)
		out = append(out, c.PublicKey...)
	}
	return append(out, d.Extensions...)
}
