// Package signing has the types of e-signing and the rules of its payloads. Package platform
// below makes the calls.
package signing

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// ConsentDocument is the platform's own document in every package (docs/platform.md S4).
const ConsentDocument = "default-consent"

// The statuses of a package (docs/platform.md S4).
const (
	StatusDraft     = "DRAFT"
	StatusSent      = "SENT"
	StatusCompleted = "COMPLETED"
	StatusArchived  = "ARCHIVED"
	StatusDeclined  = "DECLINED"
	StatusOptedOut  = "OPTED_OUT"
	StatusExpired   = "EXPIRED"
)

// Finished reports whether a package with that status is signed by all: an archived one
// was completed before (docs/platform.md S6).
func Finished(status string) bool { return status == StatusCompleted || status == StatusArchived }

// Package is a package of the platform (specification, parts 2.1 to 2.8). Members of other
// types than these are read as zero, see ReadPackage.
type Package struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Status      string `json:"status"`
	Type        string `json:"type"`
	Visibility  string `json:"visibility"`
	Language    string `json:"language"`
	// Message is the text of the invitations to everybody.
	Message   string     `json:"emailMessage"`
	Trashed   bool       `json:"trashed"`
	Created   Moment     `json:"created"`
	Updated   Moment     `json:"updated"`
	Completed Moment     `json:"completed"`
	Due       Moment     `json:"due"`
	Sender    Signer     `json:"sender"`
	Roles     []Role     `json:"roles"`
	Documents []Document `json:"documents"`
	Messages  []Message  `json:"messages"`
	// Conditions are those under which fields change.
	Conditions jsontext.Value `json:"conditions"`
	// Data is the package's data, Countersign's own included; nobody is shown it.
	Data jsontext.Value `json:"data"`
	// Countersign is the part of it that is Countersign's own; a signer's package has none.
	Countersign CountersignData `json:"-"`

	// IsItem says that it is an item of a list: approvals, and the proofs that it asks for, are
	// missing.
	IsItem bool `json:"-"`

	raw jsontext.Value // the whole package as the platform answered it
}

// IsTemplate reports whether drafts are made of the package, and it is never sent itself.
func (p Package) IsTemplate() bool { return strings.EqualFold(p.Type, TypeTemplate) }

// The types of a role (docs/platform.md S4).
const (
	RoleSender = "SENDER"
	RoleSigner = "SIGNER"
)

// The ways in which a signer is notified.
const (
	NotifyByEmail = "EMAIL"
	NotifyBySMS   = "SMS"
)

// Role is a part in a package, with the person who has it. Index is its position in the signing
// order, from 1; a role with 0 signs at any time.
type Role struct {
	ID      string              `json:"id"`
	Name    string              `json:"name"`
	Type    string              `json:"type"`
	Index   int                 `json:"index"`
	Signers []Signer            `json:"signers"`
	Files   []AttachmentRequest `json:"attachmentRequirements"`
	// Reassign lets the signer pass the signing on to another person. EmailMessage is the text of
	// the role's own invitation; nil for none.
	Reassign     bool         `json:"reassign"`
	EmailMessage *RoleMessage `json:"emailMessage"`
}

// AttachmentRequest is a file that the role is asked to attach, with the files that it has attached.
type AttachmentRequest struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Required    bool           `json:"required"`
	Status      string         `json:"status"`
	Attached    []AttachedFile `json:"files"`
}

// AttachedFile is a file that a role has attached.
type AttachedFile struct {
	ID   jsontext.Value `json:"id"` // a number, or a text
	Name string         `json:"name"`
}

// FileID returns the id of the file as it stands in a path; "" if it has none.
func (a AttachedFile) FileID() string {
	var text string
	switch a.ID.Kind() {
	case '0':
		return string(a.ID)
	case '"':
		_ = payload.Unmarshal(a.ID, &text) // it is a string
	}
	return text
}

// Signer is a person who signs, or the sender. FullName is the platform's own, if it tells one.
type Signer struct {
	ID        string          `json:"id,omitzero"`
	FirstName string          `json:"firstName"`
	LastName  string          `json:"lastName"`
	FullName  string          `json:"name,omitzero"`
	Email     string          `json:"email"`
	Phone     string          `json:"phone"`
	Notify    deliveryMethods `json:"notificationMethods"`
}

// deliveryMethods lists how a signer is notified of the package: EMAIL, SMS or both.
type deliveryMethods struct {
	Primary []string `json:"primary"`
}

// Document is a document with its approvals, as it is read and written. Extract takes fields from
// the form fields of its file, which works only if the file is sent along.
type Document struct {
	ID        string     `json:"id,omitzero"`
	Name      string     `json:"name,omitzero"`
	Index     int        `json:"index"`
	Extract   bool       `json:"extract"`
	Approvals []Approval `json:"approvals"`
	Pages     []PageSize `json:"pages,omitzero"`
}

// PageSize is the size of a page, in the unit in which the platform places fields.
type PageSize struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Approval is one role's task in a document: the fields that it fills in or signs.
type Approval struct {
	ID       string  `json:"id,omitzero"`
	Role     string  `json:"role"`
	Optional bool    `json:"optional,omitzero"`
	Signed   Moment  `json:"signed,omitzero"`
	Fields   []Field `json:"fields"`
}

// Field is a signature or an input, placed by its form field (Extract), by an anchor or by
// coordinates. Page counts from 0.
type Field struct {
	ID         string      `json:"id,omitzero"`
	Name       string      `json:"name,omitzero"`
	Type       string      `json:"type"`
	Subtype    string      `json:"subtype"`
	Binding    string      `json:"binding,omitzero"`
	Page       int         `json:"page"`
	Extract    bool        `json:"extract,omitzero"`
	Left       float64     `json:"left,omitzero"`
	Top        float64     `json:"top,omitzero"`
	Width      float64     `json:"width,omitzero"`
	Height     float64     `json:"height,omitzero"`
	Anchor     *Anchor     `json:"extractAnchor,omitzero"`
	Validation *Validation `json:"validation,omitzero"`
}

// Anchor is a text in the document next to which a field is placed.
type Anchor struct {
	Text           string  `json:"text"`
	Index          int     `json:"index"`
	CharacterIndex int     `json:"characterIndex"`
	AnchorPoint    string  `json:"anchorPoint"`
	LeftOffset     float64 `json:"leftOffset"`
	TopOffset      float64 `json:"topOffset"`
	Width          float64 `json:"width"`
	Height         float64 `json:"height"`
}

// Validation restricts what may be entered into a field; a nil member restricts nothing.
type Validation struct {
	Required     bool     `json:"required"`
	ErrorMessage string   `json:"errorMessage,omitzero"`
	Pattern      string   `json:"pattern,omitzero"`
	MinLength    *int     `json:"minLength,omitzero"`
	MaxLength    *int     `json:"maxLength,omitzero"`
	Enum         []string `json:"enum,omitzero"`
	Group        string   `json:"group,omitzero"`
}

// Message is a text that somebody wrote about the package, such as why they declined it.
type Message struct {
	From    Signer `json:"from"`
	Content string `json:"content"`
}

// Moment is a time in JSON (docs/platform.md S14), with the platform's own spelling. Any other
// text is the zero time.
type Moment struct {
	time.Time
	Text string
}

// UnmarshalJSON never fails, so that a package is read whatever its dates are.
func (m *Moment) UnmarshalJSON(value []byte) error {
	*m = Moment{}
	if jsontext.Value(value).Kind() == '"' {
		text, _ := jsontext.AppendUnquote(nil, value) // U+FFFD stands for what is not UTF-8
		m.Text = string(text)
		m.Time, _ = time.Parse(time.RFC3339, m.Text)
	}
	return nil
}

// Raw returns the package as it was read. Nobody changes it in its place.
func (p Package) Raw() jsontext.Value { return p.raw }

// ReadPackage decodes a package of the platform; members of an unexpected type are
// skipped. The error, platform.failed, means that value is no JSON object.
func ReadPackage(value jsontext.Value) (Package, error) {
	var p Package
	err := payload.UnmarshalLenient(value, &p)
	p.raw = value
	if err == nil && value.Kind() != '{' {
		err = errors.New("the value is not an object")
	}
	if err != nil {
		return p, fault.Wrap(fault.PlatformFailed, fmt.Errorf("read a package: %w", err))
	}
	var data struct {
		Countersign CountersignData `json:"countersign"`
	}
	if payload.UnmarshalLenient(p.Data, &data) == nil { // else it has none
		p.Countersign = data.Countersign
	}
	if p.Countersign.Proofs.Kind() == 'n' {
		p.Countersign.Proofs = nil
	}
	return p, nil
}

// Strict returns platform.failed if a text, an object or a list of the package's status, type,
// roles and documents is something else, which ReadPackage has skipped. The rules need it: a role
// that cannot be read would be taken for none.
func (p Package) Strict() error {
	var decisive struct {
		Status    string     `json:"status"`
		Type      string     `json:"type"`
		Roles     []Role     `json:"roles"`
		Documents []Document `json:"documents"`
	}
	if err := payload.UnmarshalStrict(p.raw, &decisive); err != nil {
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("read a package: %w", err))
	}
	return nil
}

// Name returns the signer's full name.
func (s Signer) Name() string {
	switch {
	case s.FirstName == "":
		return s.LastName
	case s.LastName == "":
		return s.FirstName
	}
	return s.FirstName + " " + s.LastName
}
