package signing

import (
	"iter"
	"slices"
)

// first returns the first of all that fits, or the 404 for a thing of that name.
func first[T any](all []T, name string, fits func(*T) bool) (*T, error) {
	for i := range all {
		if fits(&all[i]) {
			return &all[i], nil
		}
	}
	return nil, unknown(name)
}

func (p *pkg) document(id string) (*document, error) {
	return first(p.Documents, "document", func(d *document) bool { return d.ID == id })
}

func (d *document) approval(id string) (*approval, error) {
	return first(d.Approvals, "approval", func(a *approval) bool { return a.ID == id })
}

func (a *approval) field(id string) (*field, error) {
	return first(a.Fields, "field", func(f *field) bool { return f.ID == id })
}

// role finds a role by its id, else by a signer's.
func (p *pkg) role(id string) (*role, error) {
	if r, err := first(p.Roles, "role", func(r *role) bool { return r.ID == id }); err == nil {
		return r, nil
	}
	return first(p.Roles, "role", func(r *role) bool { return r.hasSigner(id) })
}

// roleNamed returns the role with that id, or one without signers.
func (p *pkg) roleNamed(id string) role {
	i := slices.IndexFunc(p.Roles, func(r role) bool { return r.ID == id })
	if i < 0 {
		return role{}
	}
	return p.Roles[i]
}

// fields returns all fields of the package's approvals, each with its document.
func (p *pkg) fields() iter.Seq2[*document, *field] {
	return func(yield func(*document, *field) bool) {
		for i := range p.Documents {
			for f := range p.Documents[i].fields() {
				if !yield(&p.Documents[i], f) {
					return
				}
			}
		}
	}
}

// fields returns all fields of the document's approvals.
func (d *document) fields() iter.Seq[*field] {
	return func(yield func(*field) bool) {
		for _, a := range d.Approvals {
			for i := range a.Fields {
				if !yield(&a.Fields[i]) {
					return
				}
			}
		}
	}
}
