package signing

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/intake"
)

// Context is what the rules need to know beside the payload.
type Context struct {
	// Production refuses recipients whose address is reserved (RFC 2606, RFC 6761).
	Production bool
	// Operator allows to name a sender.
	Operator bool
	// Package is the package as the platform has it; nil where the operation is
	// about none.
	Package *Stored
	// There is a draft that the payload is to take the place of: what it has already
	// breaks no bound. nil is Package.
	There *Stored
	// Role is the id of the role that the path names.
	Role string
	// Field is where the field stands that the path names.
	Field FieldPath
}

// FieldPath is the ids of a field and of what it is in.
type FieldPath struct{ Document, Approval, Field string }

// Stored is what the rules need to know of a package that the platform has.
type Stored struct {
	Status string       `json:"status"`
	Type   string       `json:"type"`
	Roles  []StoredRole `json:"roles"`
	// Documents are those with their approvals and fields.
	Documents []storedDocument `json:"documents"`
	Data      struct {
		// Countersign is what Countersign keeps with the package; nil if nothing.
		Countersign jsontext.Value `json:"countersign"`
	} `json:"data"`

	text jsontext.Value // all of it
}

// StoredRole is a role of a package that the platform has.
type StoredRole struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Signers []StoredSigner `json:"signers"`
}

// StoredSigner is a signer of a package that the platform has.
type StoredSigner struct {
	ID                  string `json:"id"`
	Email               string `json:"email"`
	Phone               string `json:"phone"`
	NotificationMethods struct {
		Primary []string `json:"primary"`
	} `json:"notificationMethods"`
}

// ReadStored reads a package of the platform. Its error is platform.failed.
func ReadStored(text []byte) (*Stored, error) {
	s := &Stored{text: text}
	if err := json.Unmarshal(text, s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return s, nil
}

// maxNoted is how many violations are named at most.
const maxNoted = 20

// rules is the examination of one payload.
type rules struct {
	Context
	payload *Payload
	fields  []fault.Field
	// created says that the package or role comes into being with the payload.
	created bool
	// sent says that the package is sent, so that each role needs a signer.
	sent bool
	// roles are the ids that approvals may name, emails those of signers so far.
	roles, emails map[string]bool
	patterns      map[string]bool // that were compiled, and whether they could be

	// path leads to the part of the stored package that the payload is about; nil
	// leads nowhere. whole is the two of them, once they were compared.
	path  []string
	whole *twin
	// contents are the pointers of the documents' files in base64.
	contents map[string]bool
	// storedFields is how many fields the package has, allFields how many it would have
	// with those of the payload so far.
	storedFields, allFields int
}

func newRules(p *Payload, c Context) *rules {
	return &rules{Context: c, payload: p, roles: map[string]bool{}, emails: map[string]bool{}, patterns: map[string]bool{}, contents: map[string]bool{}}
}

// note notes a violation, the first at a pointer.
func (r *rules) note(pointer, detail string) {
	field := fault.Field{Pointer: shortPointer(pointer), Detail: detail}
	noted := func(other fault.Field) bool { return other.Pointer == field.Pointer }
	if len(r.fields) < maxNoted && !slices.ContainsFunc(r.fields, noted) {
		r.fields = append(r.fields, field)
	}
}

// know takes the roles that the package has already, but for those of without.
func (r *rules) know(without map[string]bool) {
	if r.Package == nil {
		return
	}
	r.sent = r.Package.Status == "SENT" && r.Package.Type != "TEMPLATE"
	for _, role := range r.Package.Roles {
		if without[role.ID] {
			continue
		}
		r.roles[role.ID] = true
		for _, signer := range role.Signers {
			r.emails[intake.FoldAddress(signer.Email)] = true
		}
	}
}

// storedRole is the role of the package that id names; empty if there is none.
func (r *rules) storedRole(id string) StoredRole {
	if r.Package == nil || id == "" {
		return StoredRole{}
	}
	for _, role := range r.Package.Roles {
		if role.ID == id {
			return role
		}
	}
	return StoredRole{}
}

// signer is the signer of the role that a payload's id or e-mail names, else the only
// one there is.
func (s StoredRole) signer(id, email string) StoredSigner {
	for _, signer := range s.Signers {
		if id != "" && signer.ID == id || id == "" && intake.FoldAddress(signer.Email) == intake.FoldAddress(email) || len(s.Signers) == 1 {
			return signer
		}
	}
	return StoredSigner{}
}
