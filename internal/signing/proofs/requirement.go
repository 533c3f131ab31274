// Package proofs has the rules of proof requirements and signature evidence.
//
// It stores nothing and calls nobody. What a package asks is read from and written into
// Countersign's own data in the package, data.countersign.proofs; what is kept is sealed
// into data.countersign.kept.
package proofs

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// The kinds of proofs.
const (
	KindPasskey  = "passkey"
	KindIdentity = "identity"
)

// Limits bound the age of a kind of proof, in seconds.
type Limits struct{ Least, Default, Most int64 }

// PasskeyAge returns the limits of a passkey's sign-in.
func PasskeyAge() Limits { return Limits{Least: 30, Default: 300, Most: 3600} }

// IdentityAge returns the limits of an identity check.
func IdentityAge() Limits { return Limits{Least: 3600, Default: 7_776_000, Most: 31_536_000} }

// Age is the most that a proof may be old, in seconds.
type Age struct {
	MaxAge int64 `json:"maxAge"`
}

// Allows reports whether something of then is not too old at now. Both count in whole
// seconds, as they are kept.
func (a Age) Allows(then, now time.Time) bool { return now.Unix()-then.Unix() <= a.MaxAge }

// PasskeyRequirement is what a sign-in has to be.
type PasskeyRequirement struct {
	Age
	// DeviceBound asks for a key that cannot leave its device.
	DeviceBound bool `json:"deviceBound,omitzero"`
}

// ProofRequirement is what a role's signer has to prove; nil is not asked.
type ProofRequirement struct {
	// Passkey asks for a sign-in by FIDO2 or UAF in the session that opens the page.
	Passkey *PasskeyRequirement `json:"passkey"`
	// Identity asks for an identity check of the signer's own.
	Identity *Age `json:"identity"`
}

// Any reports whether anything is asked.
func (a ProofRequirement) Any() bool { return a.Passkey != nil || a.Identity != nil }

// Equal reports whether a and b ask for the same.
func (a ProofRequirement) Equal(b ProofRequirement) bool { return a.AtLeast(b) && b.AtLeast(a) }

// AtLeast reports whether a asks for everything that b asks for, at no greater age.
func (a ProofRequirement) AtLeast(b ProofRequirement) bool {
	return a.Passkey.atLeast(b.Passkey) && a.Identity.atLeast(b.Identity)
}

func (a *PasskeyRequirement) atLeast(b *PasskeyRequirement) bool {
	return b == nil || a != nil && a.Age.atLeast(&b.Age) && (a.DeviceBound || !b.DeviceBound)
}

func (a *Age) atLeast(b *Age) bool { return b == nil || a != nil && a.MaxAge <= b.MaxAge }

// ReadAsked decodes a payload that signing.CheckProofs accepted: an absent member and null
// ask for nothing, an object without maxAge asks for the default.
func ReadAsked(payload []byte) (ProofRequirement, error) {
	var in struct {
		Passkey *struct {
			MaxAge      *float64 `json:"maxAge"`
			DeviceBound *bool    `json:"deviceBound"`
		} `json:"passkey"`
		Identity *struct {
			MaxAge *float64 `json:"maxAge"`
		} `json:"identity"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return ProofRequirement{}, fmt.Errorf("proofs: read what is asked: %w", err)
	}
	age := func(maxAge *float64, limits Limits) *Age {
		if maxAge == nil {
			return &Age{limits.Default}
		}
		return &Age{int64(*maxAge)}
	}
	var a ProofRequirement
	if in.Passkey != nil {
		a.Passkey = &PasskeyRequirement{Age: *age(in.Passkey.MaxAge, PasskeyAge())}
		a.Passkey.DeviceBound = in.Passkey.DeviceBound != nil && *in.Passkey.DeviceBound
	}
	if in.Identity != nil {
		a.Identity = age(in.Identity.MaxAge, IdentityAge())
	}
	return a, nil
}

// Rule is what a package asks of one role, now and before.
type Rule struct {
	ProofRequirement
	// Before is what was asked earlier, while the package was with its signers, the latest
	// last.
	Before []earlier `json:"before,omitempty"`
}

// earlier keeps what was asked until a time, when it was changed.
type earlier struct {
	ProofRequirement
	Until time.Time `json:"until"`
}

// At returns what was asked at a time, which the platform dates in whole seconds by a clock
// that may be behind ours. Where it may have been after a change, what was asked then
// counts: a role that has signed is asked nothing more, so nearly all that was signed
// around a change was signed after it.
func (r Rule) At(at time.Time) ProofRequirement {
	for _, e := range r.Before {
		if at.Add(skew).Unix() < e.Until.Unix() {
			return e.ProofRequirement
		}
	}
	return r.ProofRequirement
}

// Tighten makes a the rule from now on. What was asked until now still counts for a
// signature that was given before.
func (r Rule) Tighten(a ProofRequirement, now time.Time) Rule {
	const most = 16 // what was asked longer ago is forgotten
	if r.Equal(a) {
		return r
	}
	r.Before = append(r.Before[max(0, len(r.Before)-most+1):len(r.Before):len(r.Before)], earlier{r.ProofRequirement, now.UTC().Truncate(time.Second)})
	r.ProofRequirement = a
	return r
}

// Rules are the rules of a package, by the id of the role.
type Rules map[string]Rule

// Any reports whether any role has to prove anything.
func (r Rules) Any() bool {
	for _, rule := range r {
		if rule.Any() {
			return true
		}
	}
	return false
}

// ReadRules decodes data.countersign.proofs; an absent value asks for nothing.
func ReadRules(value jsontext.Value) (Rules, error) {
	rules := Rules{}
	if len(value) == 0 {
		return rules, nil
	}
	if err := payload.Unmarshal(value, &rules); err != nil {
		return nil, fmt.Errorf("proofs: read the rules of a package: %w", err)
	}
	return rules, nil
}

// Value encodes the rules that ask for something, for data.countersign.proofs; nil for
// none.
func (r Rules) Value() jsontext.Value {
	some := Rules{}
	for role, rule := range r {
		if rule.Any() || len(rule.Before) > 0 {
			some[role] = rule
		}
	}
	if len(some) == 0 {
		return nil
	}
	text, err := json.Marshal(some, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // texts, numbers and times always encode
	}
	return text
}

// current returns the rules without what was asked earlier, for a copy of the package.
func (r Rules) current() Rules {
	now := Rules{}
	for role, rule := range r {
		now[role] = Rule{ProofRequirement: rule.ProofRequirement}
	}
	return now
}

// CopyRequirements returns data.countersign.proofs for a copy of the package that has value there.
func CopyRequirements(value jsontext.Value) (jsontext.Value, error) {
	rules, err := ReadRules(value)
	return rules.current().Value(), err
}
