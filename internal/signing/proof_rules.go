package signing

import (
	"countersign/internal/payload"
	"countersign/internal/signing/proofs"
)

// CheckProofs applies the rules for what is asked of a role's signer. Unlike elsewhere, a
// member that is not known is refused: a program that misspells a proof must not believe that it is
// asked for.
func CheckProofs(p *Payload, c Context) error {
	return p.check(c, "{", func(_ *rules, v payload.Value) {
		o, _ := v.Object()
		if passkey, ok := proof(o, proofs.KindPasskey, "field.passkey-age", proofs.PasskeyAge()); ok {
			passkey.Boolean("deviceBound")
			passkey.Unknown()
		}
		if identity, ok := proof(o, proofs.KindIdentity, "field.identity-age", proofs.IdentityAge()); ok {
			identity.Unknown()
		}
		o.Unknown()
	})
}

// proof returns one proof, if it is asked for, and checks its age.
func proof(o payload.Object, kind, wrongAge string, limits proofs.Limits) (asked payload.Object, ok bool) {
	if asked, ok = o.Object(kind); !ok {
		return asked, false
	}
	if age, ok := asked.Number("maxAge"); ok && (age < float64(limits.Least) || age > float64(limits.Most) || age != float64(int64(age))) {
		asked.Note("maxAge", wrongAge)
	}
	return asked, true
}
