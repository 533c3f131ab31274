package compose

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing/proofs"
)

// readAsked takes over what the package asks of the recipients that the platform has.
func (f *Form) readAsked(at stored) {
	rules, err := proofs.ReadRules(at.Countersign.Proofs)
	if err != nil {
		return // whoever opens the signing page is told
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
// ages that were chosen elsewhere stay.
func (f *Form) asked(value jsontext.Value) jsontext.Value {
	rules, err := proofs.ReadRules(value)
	if err != nil {
		return value
	}
	for _, r := range f.Recipients {
		rule := rules[r.roleID()]
		rule.Passkey = choose(r.AskPasskey, rule.Passkey, proofs.PasskeyAge())
		rule.Identity = choose(r.AskIdentity, rule.Identity, proofs.IdentityAge())
		rules[r.roleID()] = rule
	}
	return rules.Value()
}

// choose returns the age of a proof that is asked or not.
func choose(asked bool, before *proofs.Age, limits proofs.Limits) *proofs.Age {
	switch {
	case !asked:
		return nil
	case before == nil:
		return &proofs.Age{MaxAge: limits.Default}
	}
	return before
}
