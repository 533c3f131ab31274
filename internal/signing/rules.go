package signing

import (
	"countersign/internal/payload"
)

// Context is the input of the rules beside the payload.
type Context struct {
	// Production refuses recipients whose address is reserved (RFC 2606, RFC 6761).
	Production bool
	// Operator allows naming a sender.
	Operator bool
	// Limits are the limits of documents.
	Limits
	// Package is the stored package; nil if the operation concerns none.
	Package *Package
	// Replaces is the draft that the payload will replace: values that it has already exceed
	// no bound. nil stands for Package.
	Replaces *Package
	// ID is the id of the package that the path names.
	ID string
	// Role is the id of the role that the path names.
	Role string
	// Field is the position of the field that the path names.
	Field FieldPath
}

// FieldPath holds the ids of a field, its approval and its document.
type FieldPath struct{ Document, Approval, Field string }

// storedCondition is a condition of a package that the platform has.
type storedCondition struct {
	ID string `json:"id"`
}

// conditions returns the package's conditions; none for nil, and for what is no list of them.
func (p *Package) conditions() (all []storedCondition) {
	if p == nil || payload.Unmarshal(p.Conditions, &all) != nil {
		return nil
	}
	return all
}

// rules applies the rules to one payload.
type rules struct {
	Context
	payload.Violations

	payload *Payload
	// created says that the payload creates the package or role.
	created bool
	// sent says that the package is sent, so that each role needs a signer.
	sent bool
	// roles holds the ids that approvals may name, emails the addresses of signers so
	// far.
	roles, emails map[string]bool
	patterns      map[string]bool // compiled so far, and whether each is valid

	// path leads to the part of the stored package that the payload concerns, nil to
	// none; root compares that part with the payload, once.
	path []string
	root *twin
	// contents holds the pointers of the documents' files in base64.
	contents map[string]bool
	// verbatim holds the pointers of texts that a file contains.
	verbatim map[string]bool
	// fieldLists holds the pointers of long lists whose fields are counted.
	fieldLists map[string]bool
	// storedApprovals and storedFields count what the package has, allApprovals and
	// allFields what it would have with the payload's so far.
	storedApprovals, allApprovals, storedFields, allFields int
}

func newRules(p *Payload, c Context) *rules {
	return &rules{Context: c, payload: p, roles: map[string]bool{}, emails: map[string]bool{}, patterns: map[string]bool{}, contents: map[string]bool{}, verbatim: map[string]bool{}, fieldLists: map[string]bool{}}
}

// addStored adds the roles and addresses of the stored package, except the roles in
// without.
func (r *rules) addStored(without map[string]bool) {
	if r.Package == nil {
		return
	}
	r.sent = r.Package.Status == StatusSent && r.Package.Type != TypeTemplate
	for _, role := range r.Package.Roles {
		if without[role.ID] {
			continue
		}
		r.roles[role.ID] = true
		for _, signer := range role.Signers {
			r.emails[payload.FoldAddress(signer.Email)] = true
		}
	}
}

// storedRole returns the stored role with that id; empty if there is none.
func (r *rules) storedRole(id string) Role {
	if r.Package == nil || id == "" {
		return Role{}
	}
	for _, role := range r.Package.Roles {
		if role.ID == id {
			return role
		}
	}
	return Role{}
}

// signer returns the signer with that id, or without id with that e-mail address, or else
// the only signer.
func (r Role) signer(id, email string) Signer {
	for _, signer := range r.Signers {
		if id != "" && signer.ID == id || id == "" && payload.FoldAddress(signer.Email) == payload.FoldAddress(email) || len(r.Signers) == 1 {
			return signer
		}
	}
	return Signer{}
}
