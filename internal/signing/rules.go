package signing

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Context is the input of the rules beside the payload.
type Context struct {
	// Production refuses recipients whose address is reserved (RFC 2606, RFC 6761).
	Production bool
	// Operator allows naming a sender.
	Operator bool
	// Limits are those of the documents.
	Limits
	// Package is the stored package; nil if the operation concerns none.
	Package *Stored
	// Replaces is the draft that the payload will replace: values that it has already exceed
	// no bound. nil stands for Package.
	Replaces *Stored
	// ID is the id of the package that the path names.
	ID string
	// Role is the id of the role that the path names.
	Role string
	// Field is the position of the field that the path names.
	Field FieldPath
}

// FieldPath holds the ids of a field, its approval and its document.
type FieldPath struct{ Document, Approval, Field string }

// Stored holds the members of a stored package that the rules depend on.
type Stored struct {
	Status string       `json:"status"`
	Type   string       `json:"type"`
	Roles  []storedRole `json:"roles"`
	// Documents have their approvals and fields.
	Documents []storedDocument `json:"documents"`
	// Conditions are those under which fields change.
	Conditions jsontext.Value `json:"conditions"`
	// Data is the package's data, Countersign's own included.
	Data jsontext.Value `json:"data"`

	text jsontext.Value // the whole package
}

// Proofs returns what the package asks of its signers, as package proofs reads it; nil for
// nothing.
func (s *Stored) Proofs() jsontext.Value {
	return ReadOwnData(s.Data).Proofs()
}

// storedCondition is a condition of a package that the platform has.
type storedCondition struct {
	ID string `json:"id"`
}

// conditions returns the package's conditions; none for nil, and for what is no list of them.
func (s *Stored) conditions() (all []storedCondition) {
	if s == nil || payload.Unmarshal(s.Conditions, &all) != nil {
		return nil
	}
	return all
}

// storedRole is a role of a package that the platform has.
type storedRole struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Signers []storedSigner `json:"signers"`
	// Files are those that the role is asked for.
	Files []jsontext.Value `json:"attachmentRequirements"`
}

// storedSigner is a signer of a package that the platform has.
type storedSigner struct {
	ID                  string `json:"id"`
	Email               string `json:"email"`
	Phone               string `json:"phone"`
	NotificationMethods struct {
		Primary []string `json:"primary"`
	} `json:"notificationMethods"`
}

// ReadStored decodes a package of the platform. The error is platform.failed.
func ReadStored(text []byte) (*Stored, error) {
	s := &Stored{text: text}
	if err := payload.Unmarshal(text, s); err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return s, nil
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
	// verbatim holds the pointers of texts that are those of a file.
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
func (r *rules) storedRole(id string) storedRole {
	if r.Package == nil || id == "" {
		return storedRole{}
	}
	for _, role := range r.Package.Roles {
		if role.ID == id {
			return role
		}
	}
	return storedRole{}
}

// signer returns the signer with that id, or without id with that e-mail address, or else
// the only signer.
func (s storedRole) signer(id, email string) storedSigner {
	for _, signer := range s.Signers {
		if id != "" && signer.ID == id || id == "" && payload.FoldAddress(signer.Email) == payload.FoldAddress(email) || len(s.Signers) == 1 {
			return signer
		}
	}
	return storedSigner{}
}
