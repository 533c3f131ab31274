package index

import (
	"reflect"
	"slices"
	"time"

	"countersign/internal/access"
	"countersign/internal/intake"
)

// The values of a package that the policy knows (docs/platform.md S4).
const (
	statusDraft = "DRAFT"
	statusSent  = "SENT"
	typePackage = "PACKAGE"
)

// policy is what of a package decides who it is shown to, as the index keeps it.
// Members are only ever added, under new numbers.
type policy struct {
	ID      string `cbor:"1,keyasint"`
	Owner   string `cbor:"2,keyasint,omitempty"` // the user who made it through us
	Sender  string `cbor:"3,keyasint,omitempty"` // e-mail, as lower has it
	Status  string `cbor:"4,keyasint,omitempty"`
	Type    string `cbor:"5,keyasint,omitempty"`
	Trashed bool   `cbor:"6,keyasint,omitempty"`
	Created int64  `cbor:"7,keyasint,omitempty"` // Unix seconds
	Updated string `cbor:"8,keyasint,omitempty"` // as the platform writes it
	Roles   []role `cbor:"9,keyasint,omitempty"`
	// Documents are the ids of those that can be hidden.
	Documents []string `cbor:"10,keyasint,omitempty"`
	// Visibility is as of VisibilityAt, in Unix seconds; zero is unknown.
	Visibility   map[string][]string `cbor:"11,keyasint,omitempty"`
	VisibilityAt int64               `cbor:"12,keyasint,omitempty"`
	// Digest is of the item, before it was cut.
	Digest []byte `cbor:"13,keyasint,omitempty"`
	// Cut says that it was too long: roles are missing, and all documents.
	Cut bool `cbor:"14,keyasint,omitempty"`
}

type role struct {
	ID      string   `cbor:"1,keyasint"`
	Signers []signer `cbor:"2,keyasint,omitempty"`
	Signed  bool     `cbor:"3,keyasint,omitempty"` // nothing is left for it to sign
	Unasked bool     `cbor:"4,keyasint,omitempty"` // the sender's, who has nothing to sign
}

type signer struct {
	ID    string `cbor:"1,keyasint,omitempty"`
	Email string `cbor:"2,keyasint"` // as lower has it
}

// signable reports whether the package is with its signers: a draft, a trashed one and
// a template is not.
func (p *policy) signable() bool {
	return p.Status != statusDraft && !p.Trashed && p.Type == typePackage
}

// standing is what person is to the package, operators aside.
func (p *policy) standing(person access.Person) Standing {
	switch {
	case p.Owner != "" && p.Owner == person.User, p.Sender != "" && p.Sender == person.Email:
		return Owner
	case p.signable() && slices.ContainsFunc(p.Roles, func(r role) bool { return r.has(person.Email) }):
		return Signer
	}
	return Stranger
}

// progress is the ids of the roles that have something to sign, and of those that have
// signed all of it.
func (p *policy) progress() (asked, signed []string) {
	for _, r := range p.Roles {
		if !r.Unasked {
			asked = append(asked, r.ID)
		}
		if r.Signed {
			signed = append(signed, r.ID)
		}
	}
	return asked, signed
}

// has reports whether email is that of one of the role's signers.
func (r role) has(email string) bool {
	return email != "" && slices.ContainsFunc(r.Signers, func(s signer) bool { return s.Email == email })
}

// grant is what the policy says of person.
func (p *policy) grant(person access.Person) Grant {
	g := Grant{Standing: p.standing(person), Status: p.Status, Signable: p.signable()}
	if person.Operator {
		g.Standing = Operator
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if person.Email == "" || s.Email != person.Email {
				continue
			}
			g.Roles, g.Signers = append(g.Roles, r.ID), append(g.Signers, s.ID)
			for _, name := range []string{s.ID, s.Email} {
				if p.namesAlone(name, person.Email) {
					g.Names = append(g.Names, lower(name))
				}
			}
			if p.namesAlone(r.ID, person.Email) {
				g.SoleRoles = append(g.SoleRoles, r.ID)
			}
		}
	}
	if g.Standing == Signer {
		g.hidden = p.hiddenFrom(g.Roles)
	}
	return g
}

// namesAlone reports whether name, as the id of a role or a signer or as an e-mail
// address, means the signer of that address and nobody else.
func (p *policy) namesAlone(name, email string) bool {
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

// hiddenFrom are the documents that none of roles sees: all that could be hidden,
// where it is not known which are.
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

// visibilityKnown reports whether it is known which documents are hidden from whom:
// where there is no document or nobody to hide it from, it need not be asked.
func (p *policy) visibilityKnown() bool {
	return p.VisibilityAt != 0 || !p.signable() || len(p.Documents) == 0
}

// visibilityStale reports whether that was last asked longer than age ago.
func (p *policy) visibilityStale(now time.Time, age time.Duration) bool {
	return !p.visibilityKnown() || p.VisibilityAt != 0 && now.Unix()-p.VisibilityAt > int64(age/time.Second)
}

// equal reports whether the package is the same, and its item too.
func (p *policy) equal(other *policy) bool { return reflect.DeepEqual(p, other) }

// lower is how e-mail addresses, and names that may be some, are compared.
func lower(email string) string { return intake.FoldAddress(email) }
