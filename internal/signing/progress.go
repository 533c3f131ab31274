package signing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"countersign/internal/payload"
)

// OwnerName returns the name of the sender: the display name of its owner's
// account, else the name that the account has at the platform.
func (p Package) OwnerName() string { return cmp.Or(p.Countersign.OwnerName, p.Sender.Name()) }

// Tasks counts what the role has to sign and to attach, and how much of that is done.
func (p Package) Tasks(r Role) (all, done int) {
	for _, f := range r.Files {
		if f.Required {
			all++
			if !f.isMissing() {
				done++
			}
		}
	}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			if a.Role != r.ID {
				continue
			}
			all++
			if a.Signed.Text != "" {
				done++
			}
		}
	}
	return all, done
}

// isMissing reports whether the role has not attached the file, or the sender rejected it.
func (a AttachmentRequest) isMissing() bool { return len(a.Attached) == 0 || a.Status == "REJECTED" }

// owes reports whether files are required of the role that it has not attached, or that the
// sender rejected.
func (r Role) owes() bool {
	return slices.ContainsFunc(r.Files, func(a AttachmentRequest) bool { return a.Required && a.isMissing() })
}

// IsAsked reports whether the role has something to sign or to attach; a signer's has, even
// if it is not said yet what.
func (p Package) IsAsked(r Role) bool {
	return r.Type != RoleSender || p.signs(r.ID) || slices.ContainsFunc(r.Files, func(a AttachmentRequest) bool { return a.Required })
}

func (p Package) signs(role string) bool {
	return slices.ContainsFunc(p.Documents, func(d Document) bool {
		return slices.ContainsFunc(d.Approvals, func(a Approval) bool { return a.Role == role })
	})
}

// SignedAt returns when the role gave its last signature; zero while one is missing.
func (p Package) SignedAt(role string) (last time.Time) {
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			switch {
			case a.Role != role:
			case a.Signed.IsZero() && !a.Optional:
				return time.Time{}
			case a.Signed.After(last):
				last = a.Signed.Time
			}
		}
	}
	return last
}

// HasSigned reports whether the role has given a signature.
func (p Package) HasSigned(role string) bool {
	return slices.ContainsFunc(p.Documents, func(d Document) bool {
		return slices.ContainsFunc(d.Approvals, func(a Approval) bool { return a.Role == role && a.Signed.Text != "" })
	})
}

// Waits reports whether something is left that the role has to sign or to attach.
func (p Package) Waits(r Role) bool { return r.owes() || p.signs(r.ID) && p.SignedAt(r.ID).IsZero() }

// Turn reports whether no role that signs before this one has something left to sign:
// roles sign in the order of their index, and those with index 0 at any time
// (specification, part 2.7). waits reports whether a role has something left to sign.
func (p Package) Turn(role Role, waits func(Role) bool) bool {
	return !slices.ContainsFunc(p.Roles, func(r Role) bool {
		return r.Index > 0 && r.Index < role.Index && waits(r)
	})
}

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
		e.BySender, e.Operator = true, p.Countersign.CancelledBy
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
