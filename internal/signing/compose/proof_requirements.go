package compose

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing/proofs"
)

// readAsked takes over what the package asks of the recipients that the platform has.
func (f *Form) readAsked(at storedPackage) {
	rules, err := proofs.ReadRules(at.Countersign.Proofs)
	if err != nil {
		return // the person who opens the signing page is told
	}
	for i := range f.Recipients {
		r := &f.Recipients[i]
		if _, known := at.role(r.roleID()); known {
			rule := rules[r.roleID()]
			r.AskPasskey, r.AskIdentity = rule.Passkey != nil, rule.Identity != nil
		}
	}
}

// asked returns what the form asks of its recipients, for the package that has value so far;
// what was chosen elsewhere, such as an age, stays.
func (f *Form) asked(value jsontext.Value) jsontext.Value {
	rules, err := proofs.ReadRules(value)
	if err != nil {
		return value
	}
	for _, r := range f.Recipients {
		rule := rules[r.roleID()]
		rule.Passkey = choose(r.AskPasskey, rule.Passkey, proofs.PasskeyRequirement{Age: proofs.Age{MaxAge: proofs.PasskeyAge().Default}})
		rule.Identity = choose(r.AskIdentity, rule.Identity, proofs.Age{MaxAge: proofs.IdentityAge().Default})
		rules[r.roleID()] = rule
	}
	return rules.Value()
}

// choose returns what is asked of a proof: as before, or what is usual.
func choose[T any](asked bool, before *T, usual T) *T {
	switch {
	case !asked:
		return nil
	case before == nil:
		return &usual
	}
	return before
}
