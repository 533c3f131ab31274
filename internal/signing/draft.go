package signing

import (
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/payload"
)

// Draft is a package as it is prepared on a page, with the members of the platform's
// payload (specification, parts 2.1 to 2.8).
type Draft struct {
	Name string `json:"name"`
	// Status is DRAFT or SENT.
	Status string `json:"status"`
	// EmailMessage is the text of the invitations to everybody.
	EmailMessage string       `json:"emailMessage,omitzero"`
	Roles        []RoleChange `json:"roles"`
	Documents    []Document   `json:"documents"`
}

// RoleChange is a role as it is written. Index is its position in the signing order, from 1; a
// role with 0 signs at any time.
type RoleChange struct {
	ID      string   `json:"id,omitzero"`
	Name    string   `json:"name,omitzero"`
	Type    string   `json:"type,omitzero"`
	Index   int      `json:"index"`
	Signers []Signer `json:"signers"`
	// Files are the files that the role is asked for; nil leaves them as they are.
	Files []RequestedFile `json:"attachmentRequirements,omitzero"`
	// Reassign lets the signer pass the signing on to another person. EmailMessage is the
	// text of the role's own invitation; nil leaves it as it is.
	Reassign     bool         `json:"reassign"`
	EmailMessage *RoleMessage `json:"emailMessage,omitzero"`
}

// RequestedFile is a file that a role is asked for.
type RequestedFile struct {
	ID          string `json:"id,omitzero"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// RoleMessage is a text to the signer of one role; "" is none.
type RoleMessage struct {
	Content string `json:"content"`
}

// UnmarshalJSON reads an object with the content, or the content itself; anything else is
// no message.
func (m *RoleMessage) UnmarshalJSON(text []byte) error {
	var object struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(text, &m.Content) != nil && json.Unmarshal(text, &object) == nil {
		m.Content = object.Content
	}
	return nil
}

// Change returns what writes the role as it is.
func (r Role) Change() RoleChange {
	c := RoleChange{ID: r.ID, Name: r.Name, Type: r.Type, Index: r.Index, Signers: slices.Clone(r.Signers), Reassign: r.Reassign, EmailMessage: r.EmailMessage}
	for i := range c.Signers {
		c.Signers[i].FullName = ""
	}
	for _, f := range r.Files {
		c.Files = append(c.Files, RequestedFile{ID: f.ID, Name: f.Name, Description: f.Description, Required: f.Required})
	}
	return c
}

// Check applies the rules for creating a package to d, whose files were checked already.
// The error is request.invalid with the pointers of the violations.
func (d Draft) Check(c Context) error {
	return check(d, c, CheckPackage)
}

// CheckRecipient applies the rules for updating a role to r.
func (r RoleChange) CheckRecipient(c Context) error { return check(r, c, CheckRoleUpdate) }

func check(given any, c Context, rules Check) error {
	text, err := json.Marshal(given)
	if err != nil {
		return payload.Malformed(err)
	}
	p, err := NewPayload(text)
	if err != nil {
		return err
	}
	p.attached = true
	return rules(p, c)
}
