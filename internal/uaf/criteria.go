package uaf

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MatchCriteria describes authenticators (UAF protocol, section on the MatchCriteria
// dictionary). An absent member is zero and matches everything.
type MatchCriteria struct {
	AAIDs                list[AAID]               `json:"aaid,omitempty"`
	VendorIDs            list[string]             `json:"vendorID,omitempty"` // 4 hexadecimal digits
	KeyIDs               list[string]             `json:"keyIDs,omitempty"`   // base64url
	UserVerification     uint32                   `json:"userVerification,omitzero"`
	KeyProtection        uint16                   `json:"keyProtection,omitzero"`
	MatcherProtection    uint16                   `json:"matcherProtection,omitzero"`
	AttachmentHint       uint32                   `json:"attachmentHint,omitzero"`
	TCDisplay            uint16                   `json:"tcDisplay,omitzero"`
	Algorithms           list[SignatureAlgorithm] `json:"authenticationAlgorithms,omitempty"`
	AssertionSchemes     list[string]             `json:"assertionSchemes,omitempty"`
	AttestationTypes     list[Tag]                `json:"attestationTypes,omitempty"`
	AuthenticatorVersion uint16                   `json:"authenticatorVersion,omitzero"`
	Extensions           list[Extension]          `json:"exts,omitempty"`
}

// AuthenticatorInfo describes an authenticator with its keys, from its metadata and its
// assertion or by itself, for comparison with criteria.
type AuthenticatorInfo struct {
	AAID              AAID
	Version           uint32
	KeyIDs            [][]byte
	UserVerification  uint32
	KeyProtection     uint16
	MatcherProtection uint16
	AttachmentHint    uint32
	TCDisplay         uint16
	Algorithms        []SignatureAlgorithm
	AssertionScheme   string
	AttestationTypes  []Tag
}

// userVerifyAll says that all of the flagged methods are needed, not one of them.
const userVerifyAll = 0x400

// Matches reports whether a meets every set member of the criteria.
func (m MatchCriteria) Matches(a AuthenticatorInfo) bool {
	return (len(m.AAIDs) == 0 || containsAAID(m.AAIDs, a.AAID)) &&
		m.matchesVendor(a) && m.matchesKey(a) &&
		m.matchesVerification(a) &&
		meetsFlags(m.KeyProtection, a.KeyProtection) &&
		meetsFlags(m.MatcherProtection, a.MatcherProtection) &&
		// The attachment changes; an authenticator that does not name it may have any.
		(a.AttachmentHint == 0 || meetsFlags(m.AttachmentHint, a.AttachmentHint)) &&
		meetsFlags(m.TCDisplay, a.TCDisplay) &&
		meetsList(m.Algorithms, a.Algorithms) &&
		(len(m.AssertionSchemes) == 0 || slices.Contains(m.AssertionSchemes, a.AssertionScheme)) &&
		meetsList(m.AttestationTypes, a.AttestationTypes) &&
		uint32(m.AuthenticatorVersion) <= a.Version &&
		CheckExtensions("criteria", m.Extensions) == nil
}

func (m MatchCriteria) matchesVendor(a AuthenticatorInfo) bool {
	return len(m.VendorIDs) == 0 || slices.ContainsFunc(m.VendorIDs, func(vendor string) bool {
		return strings.EqualFold(vendor, a.AAID.vendor())
	})
}

func (m MatchCriteria) matchesKey(a AuthenticatorInfo) bool {
	return len(m.KeyIDs) == 0 || slices.ContainsFunc(a.KeyIDs, func(keyID []byte) bool {
		return slices.Contains(m.KeyIDs, encodeBase64URL(keyID))
	})
}

// matchesVerification reports whether the methods are equal, or neither side needs all of
// its methods and they have one in common.
func (m MatchCriteria) matchesVerification(a AuthenticatorInfo) bool {
	wanted, offered := m.UserVerification, a.UserVerification
	if wanted == 0 || wanted == offered {
		return true
	}
	return (wanted|offered)&userVerifyAll == 0 && wanted&offered != 0
}

func meetsFlags[T uint16 | uint32](wanted, offered T) bool {
	return wanted == 0 || wanted&offered != 0
}

func meetsList[T comparable](wanted, offered []T) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(one T) bool { return slices.Contains(offered, one) })
}

// criteriaWire has the fields of MatchCriteria, but not its methods.
type criteriaWire MatchCriteria

// UnmarshalJSONFrom reads the dictionary and checks which members go together.
func (m *MatchCriteria) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[criteriaWire](dec)
	if err != nil {
		return err
	}
	*m = MatchCriteria(wire)
	return m.check()
}

// check requires that AAIDs are combined only with KeyIDs, attachment hint, version and
// extensions, and that criteria without AAIDs have algorithms and schemes.
func (m MatchCriteria) check() error {
	for _, aaid := range m.AAIDs {
		if _, err := ParseAAID(string(aaid)); err != nil {
			return err
		}
	}
	for _, keyID := range m.KeyIDs {
		if _, err := decodeBase64URL("keyID", keyID, minKeyID, maxKeyID); err != nil {
			return err
		}
	}
	for _, vendor := range m.VendorIDs {
		if len(vendor) != 4 || !isHex(vendor) {
			return unacceptable("a vendorID that is not 4 hexadecimal digits")
		}
	}
	if slices.Contains(m.AssertionSchemes, "") {
		return unacceptable("an empty assertion scheme")
	}
	describes := len(m.VendorIDs) > 0 || m.UserVerification != 0 || m.KeyProtection != 0 || m.MatcherProtection != 0 ||
		m.TCDisplay != 0 || len(m.Algorithms) > 0 || len(m.AssertionSchemes) > 0 || len(m.AttestationTypes) > 0
	switch {
	case len(m.AAIDs) > 0 && describes:
		return unacceptable("match criteria that name models and describe them too")
	case len(m.AAIDs) == 0 && (len(m.Algorithms) == 0 || len(m.AssertionSchemes) == 0):
		return unacceptable("match criteria without models need algorithms and schemes")
	}
	return nil
}
