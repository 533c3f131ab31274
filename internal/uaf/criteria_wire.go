package uaf

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

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
		if _, err := parseAAID(string(aaid)); err != nil {
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
