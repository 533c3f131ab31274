package proofs

import (
	"slices"
	"time"
)

// State tells whether a signature has what was asked.
type State string

// The states.
const (
	// None is nothing asked.
	None State = "none"
	// Waiting is not signed yet.
	Waiting State = "waiting"
	// Met is signed after the page had opened with what was asked.
	Met State = "met"
	// Unmet is signed without it, such as through the platform's own invitation.
	Unmet State = "unmet"
)

const (
	// within is the most that may lie between the opening of the page and the signature.
	signedWithin = 24 * time.Hour
	// skew is how far the platform's clock may be behind ours.
	skew = time.Minute
)

// Signature is a role's, or the place of one.
type Signature struct {
	Role string
	// Signers are the e-mail addresses of the role's signers; each may sign for it;
	// the platform does not tell who of them did.
	Signers []string
	// At is when the role signed; zero before.
	At time.Time
}

// StateOf returns the state of a signature by what was asked when it was given and by what
// was kept for one of its signers.
func StateOf(rule Rule, s Signature, kept []Entry) State {
	asked := rule.ProofRequirement
	if !s.At.IsZero() {
		asked = rule.At(s.At)
	}
	switch {
	case !asked.Any():
		return None
	case s.At.IsZero():
		return Waiting
	}
	for _, e := range kept {
		if e.Role == s.Role && slices.Contains(s.Signers, e.Signer) && e.before(s.At) && s.At.Sub(e.At) <= signedWithin && e.meets(asked) {
			return Met
		}
	}
	return Unmet
}

// before reports whether e was kept before a signature of that time, which the platform
// dates: the role had not signed, and the time is not much later.
func (e Entry) before(signed time.Time) bool { return !e.Signed && !e.At.After(signed.Add(skew)) }
