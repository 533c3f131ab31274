package signing

import (
	"cmp"
	"strings"

	"countersign/internal/payload"
)

// OwnerName returns the name of whoever sent the package: the display name of its owner's
// account, else the name that the account has at the platform.
func (p Package) OwnerName() string { return cmp.Or(p.Own.OwnerName, p.Sender.Name()) }

// Ending says who ended a package before all had signed.
type Ending struct {
	// BySender says that it was taken back; else a signer declined or refused it.
	BySender bool
	// Operator is the user who took it back if the package is another's; "" if its sender did.
	Operator string
	// Name is the signer's; "" if it is unknown who it was.
	Name string
	// Signer are the ids and the address, in lower case, by which the signer is known.
	Signer []string
	// Reason is the one they gave.
	Reason string
}

// Ending returns who declined the package, or took it back, as its last message tells; ok is
// false for a package of another status, and for one whose messages do not tell.
func (p Package) Ending() (e Ending, ok bool) {
	if p.Status != StatusDeclined && p.Status != StatusOptedOut || len(p.Messages) == 0 {
		return e, false
	}
	last := p.Messages[len(p.Messages)-1]
	e.Reason = strings.TrimSpace(last.Content)
	if from := last.From; from.ID != "" && from.ID == p.Sender.ID || from.Email != "" && payload.FoldAddress(from.Email) == payload.FoldAddress(p.Sender.Email) {
		e.BySender, e.Operator = true, p.Own.CancelledBy
		return e, true
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if !last.From.isSigner(r, s) {
				continue
			}
			e.Name = s.Name()
			e.Signer = []string{strings.ToLower(s.ID), payload.FoldAddress(s.Email)}
			return e, true
		}
	}
	e.Name = last.From.Name()
	return e, e.Name != ""
}

// isSigner reports whether the author of a message is signer s of role r. The platform names
// an author by an address, or by the id of a signer or of a role that has one signer.
func (s Signer) isSigner(r Role, signer Signer) bool {
	switch {
	case s.Email != "":
		return payload.FoldAddress(s.Email) == payload.FoldAddress(signer.Email)
	case s.ID == "":
		return false
	}
	return s.ID == signer.ID || s.ID == r.ID && len(r.Signers) == 1
}
