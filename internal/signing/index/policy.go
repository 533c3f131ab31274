package index

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"countersign/internal/access"
	"countersign/internal/payload"
	"countersign/internal/signing"
)

// policy holds the members of a package that decide what each person may do with it, as a
// record stores them. Members are only ever added, under new numbers.
type policy struct {
	ID      string `cbor:"1,keyasint"`
	Owner   string `cbor:"2,keyasint,omitempty"` // the user who created it through Countersign
	Sender  string `cbor:"3,keyasint,omitempty"` // e-mail, folded by lower
	Status  string `cbor:"4,keyasint,omitempty"`
	Type    string `cbor:"5,keyasint,omitempty"`
	Trashed bool   `cbor:"6,keyasint,omitempty"`
	Created int64  `cbor:"7,keyasint,omitempty"` // Unix seconds
	Updated string `cbor:"8,keyasint,omitempty"` // as the platform writes it
	Roles   []role `cbor:"9,keyasint,omitempty"`
	// Documents are the ids of the documents that can be hidden.
	Documents []string `cbor:"10,keyasint,omitempty"`
	// Visibility is as of VisibilityAt, in Unix seconds; at zero it is unknown.
	Visibility   map[string][]string `cbor:"11,keyasint,omitempty"`
	VisibilityAt int64               `cbor:"12,keyasint,omitempty"`
	// Digest is the hash of the item.
	Digest []byte `cbor:"13,keyasint,omitempty"`
	// Part says that the policy was too long: it lacks its documents, and may lack its roles.
	Part bool `cbor:"14,keyasint,omitempty"`
	// AsksProofs says that the package asks its signers to prove something before they sign.
	AsksProofs bool `cbor:"15,keyasint,omitempty"`
}

type role struct {
	ID            string   `cbor:"1,keyasint"`
	Signers       []signer `cbor:"2,keyasint,omitempty"`
	Signed        bool     `cbor:"3,keyasint,omitempty"` // nothing is left for it to sign
	NothingToSign bool     `cbor:"4,keyasint,omitempty"` // the sender's role, without anything to sign
}

type signer struct {
	ID    string `cbor:"1,keyasint,omitempty"`
	Email string `cbor:"2,keyasint"` // folded by lower
}

// signable reports whether the package is with its signers: it is a package, no draft and
// not trashed.
func (p *policy) signable() bool {
	return p.Status != signing.StatusDraft && !p.Trashed && p.Type == signing.TypePackage
}

// accessOf returns what person may do; being an operator does not count.
func (p *policy) accessOf(person access.Person) AccessLevel {
	switch {
	case p.madeBy(person), p.Sender != "" && p.Sender == person.Email:
		return Owner
	case p.signable() && slices.ContainsFunc(p.Roles, func(r role) bool { return r.hasSigner(person.Email) }):
		return Signer
	}
	return NoAccess
}

// madeBy reports whether person made the package through Countersign, which never changes.
func (p *policy) madeBy(person access.Person) bool { return p.Owner != "" && p.Owner == person.User }

// addresses returns the e-mail addresses of everybody in the roles, who are signers once the
// package is with them; nil for a nil p.
func (p *policy) addresses() (all []string) {
	if p != nil {
		for _, r := range p.Roles {
			for _, s := range r.Signers {
				if s.Email != "" {
					all = append(all, s.Email)
				}
			}
		}
	}
	return all
}

// progress returns the ids of the roles that have something to sign, and of those that
// have signed all of it.
func (p *policy) progress() (asked, signed []string) {
	for _, r := range p.Roles {
		if !r.NothingToSign {
			asked = append(asked, r.ID)
		}
		if r.Signed {
			signed = append(signed, r.ID)
		}
	}
	return asked, signed
}

// hasSigner reports whether one of the role's signers has that e-mail address.
func (r role) hasSigner(email string) bool {
	return email != "" && slices.ContainsFunc(r.Signers, func(s signer) bool { return s.Email == email })
}

// grant returns person's grant.
func (p *policy) grant(person access.Person) Grant {
	g := Grant{Access: p.accessOf(person), Status: p.Status, Updated: p.Updated, Signable: p.signable(), Owner: p.owner(), AsksProofs: p.AsksProofs}
	if person.Operator {
		g.Access = Operator
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if person.Email == "" || s.Email != person.Email {
				continue
			}
			g.Roles, g.Signers = append(g.Roles, r.ID), append(g.Signers, s.ID)
			for _, name := range []string{s.ID, s.Email} {
				if p.isUnambiguous(name, person.Email) {
					g.Names = append(g.Names, lower(name))
				}
			}
			if p.isUnambiguous(r.ID, person.Email) {
				g.UnsharedRoles = append(g.UnsharedRoles, r.ID)
			}
		}
	}
	if g.Access == Signer {
		g.hidden = p.hiddenFrom(g.Roles)
	}
	return g
}

// isUnambiguous reports whether name, read as the id of a role or a signer or as an e-mail
// address, means the signer with that address and nobody else.
func (p *policy) isUnambiguous(name, email string) bool {
	if name == "" {
		return false
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			named := lower(r.ID) == lower(name) || lower(s.ID) == lower(name) || s.Email == lower(name)
			if named && s.Email != email {
				return false
			}
		}
	}
	return true
}

// hiddenFrom returns the documents that none of the roles sees; while visibility is
// unknown, all that could be hidden.
func (p *policy) hiddenFrom(roles []string) []string {
	if !p.visibilityKnown() {
		return p.Documents
	}
	var hidden []string
	for document, seenBy := range p.Visibility {
		if !slices.ContainsFunc(roles, func(id string) bool { return slices.Contains(seenBy, id) }) {
			hidden = append(hidden, document)
		}
	}
	return hidden
}

// visibilityKnown reports whether it is known which documents are hidden from which people. A
// package without documents, or not with signers, has nothing to hide.
func (p *policy) visibilityKnown() bool {
	return p.VisibilityAt != 0 || !p.signable() || len(p.Documents) == 0
}

// visibilityStale reports whether the visibility is unknown or was read longer than age
// ago.
func (p *policy) visibilityStale(now time.Time, age time.Duration) bool {
	return !p.visibilityKnown() || p.VisibilityAt != 0 && now.Unix()-p.VisibilityAt > int64(age/time.Second)
}

// owner returns the user who made the package through Countersign, else its sender's e-mail
// address; "" for a nil p.
func (p *policy) owner() string {
	if p == nil {
		return ""
	}
	return cmp.Or(p.Owner, p.Sender)
}

// equal reports whether two policies are the same, the digest of the item included.
func (p *policy) equal(other *policy) bool { return reflect.DeepEqual(p, other) }

// lower folds e-mail addresses, and names that may be some, for comparison.
func lower(email string) string { return payload.FoldAddress(email) }
