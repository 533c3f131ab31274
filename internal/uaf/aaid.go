package uaf

import "strings"

// AAID names an authenticator model: "VVVV#MMMM", vendor and model as four
// hexadecimal digits each, in either case (UAF protocol, section on the AAID).
// It is kept as it was written; compare with Equal, never with ==.
type AAID string

// ParseAAID checks the form of text.
func ParseAAID(text string) (AAID, error) {
	if len(text) != aaidSize || text[4] != '#' || !isHex(text[:4]) || !isHex(text[5:]) {
		return "", unacceptable("AAID is not of the form VVVV#MMMM")
	}
	return AAID(text), nil
}

func isHex(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// Equal compares without regard to case.
func (a AAID) Equal(b AAID) bool { return strings.EqualFold(string(a), string(b)) }

// Canonical returns the AAID in upper case, for use as a map key.
func (a AAID) Canonical() AAID { return AAID(strings.ToUpper(string(a))) }

// vendor returns the AAID's first four digits.
func (a AAID) vendor() string { return string(a[:min(len(a), 4)]) }

func containsAAID(list []AAID, aaid AAID) bool {
	for _, candidate := range list {
		if candidate.Equal(aaid) {
			return true
		}
	}
	return false
}
