package signing

import (
	"maps"
	"slices"

	"countersign/internal/signing/proofs"
)

// CheckProofs applies the rules for what is asked of a role's signer. Unlike elsewhere, a
// member that is not known is refused: whoever misspells a proof must not believe that it is
// asked for.
func CheckProofs(p *Payload, c Context) error {
	return p.check(c, "{", func(_ *rules, v value) {
		o, _ := v.object()
		o.only(proofs.KindPasskey, proofs.KindIdentity)
		o.proof(proofs.KindPasskey, "field.passkey-age", proofs.PasskeyAge)
		o.proof(proofs.KindIdentity, "field.identity-age", proofs.IdentityAge)
	})
}

// proof checks one proof, if it is asked for.
func (o object) proof(kind, wrongAge string, limits proofs.Limits) {
	v, ok := o.member(kind)
	if !ok {
		return
	}
	asked, ok := v.object()
	if !ok {
		return
	}
	asked.only("maxAge")
	if age, ok := asked.number("maxAge"); ok && (age < float64(limits.Least) || age > float64(limits.Most) || age != float64(int64(age))) {
		asked.note("maxAge", wrongAge)
	}
}

// only notes every member but the named ones.
func (o object) only(names ...string) {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(names, name) {
			o.part(name, o.members[name]).note("field.unknown")
		}
	}
}
