package uaf

import "encoding/binary"

// Mode is the user's action for an assertion (ASSERTION_INFO's authentication mode): user
// verification, or the confirmation of a displayed transaction.
type Mode uint8

// The authentication modes.
const (
	ModeVerified    Mode = 1
	ModeTransaction Mode = 2
)

// AssertionInfo is the ASSERTION_INFO element. KeyFormat is the format of the
// new public key; an authentication assertion has none and leaves it zero.
type AssertionInfo struct {
	AuthenticatorVersion uint16
	Mode                 Mode
	Algorithm            SignatureAlgorithm
	KeyFormat            KeyFormat
}

func (i AssertionInfo) appendTo(out []byte) []byte {
	out = binary.LittleEndian.AppendUint16(out, i.AuthenticatorVersion)
	out = append(out, byte(i.Mode))
	out = binary.LittleEndian.AppendUint16(out, uint16(i.Algorithm))
	if i.KeyFormat != 0 {
		out = binary.LittleEndian.AppendUint16(out, uint16(i.KeyFormat))
	}
	return out
}

// parseAssertionInfo reads 5 bytes, or 7 with a key format; the caller has
// checked which of the two it is.
func parseAssertionInfo(value []byte) AssertionInfo {
	info := AssertionInfo{
		AuthenticatorVersion: binary.LittleEndian.Uint16(value),
		Mode:                 Mode(value[2]),
		Algorithm:            SignatureAlgorithm(binary.LittleEndian.Uint16(value[3:])),
	}
	if len(value) == registrationInfoSize {
		info.KeyFormat = KeyFormat(binary.LittleEndian.Uint16(value[5:]))
	}
	return info
}
