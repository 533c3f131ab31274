// Package signing says what electronic signing is: the nouns, packages with their roles,
// documents and fields; the rules of every payload; the query of the listing; and the part
// of a package that a signer may see (specification, parts 2, 4.1 and 4.2;
// docs/platform.md). Package platform below makes the calls.
package signing

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
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

// Package is the part of a package that pages show (specification, part 2).
type Package struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Status      string     `json:"status"`
	Type        string     `json:"type"`
	Language    string     `json:"language"`
	Message     string     `json:"emailMessage"`
	Trashed     bool       `json:"trashed"`
	Created     moment     `json:"created"`
	Updated     moment     `json:"updated"`
	Completed   moment     `json:"completed"`
	Due         moment     `json:"due"`
	Sender      Signer     `json:"sender"`
	Roles       []Role     `json:"roles"`
	Documents   []Document `json:"documents"`
	Messages    []Message  `json:"messages"`
	// Data is the package's data, Countersign's own included; nobody is shown it.
	Data jsontext.Value `json:"data"`
	// Own is the part of it that is Countersign's own; a signer's package has none.
	Own Ownership `json:"-"`
}

// kept is the data of a package, of which Countersign knows its own.
type kept struct {
	Countersign Ownership `json:"countersign"`
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

// Role is a part in a package, with the person who has it.
type Role struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Index   int      `json:"index"`
	Signers []Signer `json:"signers"`
	Files   []Asked  `json:"attachmentRequirements"`
}

// Asked is a file that the role is asked to attach, with the files that it has attached.
type Asked struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Required    bool       `json:"required"`
	Status      string     `json:"status"`
	Attached    []Attached `json:"files"`
}

// Attached is a file that a role has attached.
type Attached struct {
	ID   jsontext.Value `json:"id"` // a number, or a text
	Name string         `json:"name"`
}

// FileID returns the id of the file as it stands in a path; "" if it has none.
func (a Attached) FileID() string {
	var text string
	switch a.ID.Kind() {
	case '0':
		return string(a.ID)
	case '"':
		_ = payload.Unmarshal(a.ID, &text) // it is a string
	}
	return text
}

// owes reports whether files are required of the role that it has not attached, or that the
// sender rejected.
func (r Role) owes() bool {
	return slices.ContainsFunc(r.Files, func(a Asked) bool { return a.Required && (len(a.Attached) == 0 || a.Status == "REJECTED") })
}

// Signer is a person who signs, or the sender.
type Signer struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`

	NotificationMethods notificationMethods `json:"notificationMethods"`
}

// notificationMethods are the ways in which a signer is invited.
type notificationMethods struct {
	Primary []string `json:"primary"`
}

// Document is a document with its approvals.
type Document struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Pages     []Sheet    `json:"pages"`
	Approvals []Approval `json:"approvals"`
}

// Sheet is the size of a page, in the unit in which the platform places fields.
type Sheet struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Place is where a field stands in a document. Page counts from 0.
type Place struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Page    int     `json:"page"`
	Left    float64 `json:"left"`
	Top     float64 `json:"top"`
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
}

// Approval is one role's task in a document.
type Approval struct {
	Role     string  `json:"role"`
	Optional bool    `json:"optional"`
	Signed   moment  `json:"signed"`
	Fields   []Place `json:"fields"`
}

// Message is a text that somebody wrote about the package, such as why they declined it.
type Message struct {
	From    Signer `json:"from"`
	Content string `json:"content"`
}

// moment is a time in JSON (docs/platform.md S14); any other text is the zero time.
type moment struct{ time.Time }

// UnmarshalText never fails, so that a package is read whatever its dates are.
func (m *moment) UnmarshalText(text []byte) error {
	m.Time, _ = time.Parse(time.RFC3339, string(text))
	return nil
}

var asPackage = payload.Lenient(
	payload.Expect[Package]('{'), payload.Expect[[]Role]('['), payload.Expect[Role]('{'), payload.Expect[[]Signer]('['), payload.Expect[Signer]('{'),
	payload.Expect[notificationMethods]('{'), payload.Expect[[]string]('['), payload.Expect[moment]('"'),
	payload.Expect[[]Document]('['), payload.Expect[Document]('{'), payload.Expect[[]Approval]('['), payload.Expect[Approval]('{'),
	payload.Expect[[]Message]('['), payload.Expect[Message]('{'), payload.Expect[[]Asked]('['), payload.Expect[Asked]('{'), payload.Expect[[]Attached]('['), payload.Expect[Attached]('{'),
	payload.Expect[[]Sheet]('['), payload.Expect[Sheet]('{'), payload.Expect[float64]('0'), payload.Expect[[]Place]('['), payload.Expect[Place]('{'),
	payload.Expect[kept]('{'), payload.Expect[Ownership]('{'),
)

// ReadPackage decodes a package of the platform; members of an unexpected type are
// skipped. The error, platform.failed, means that value is not JSON.
func ReadPackage(value jsontext.Value) (Package, error) {
	var p Package
	if err := json.Unmarshal(value, &p, asPackage); err != nil {
		return p, fault.Wrap(fault.PlatformFailed, fmt.Errorf("read a package: %w", err))
	}
	var own kept
	if json.Unmarshal(p.Data, &own, asPackage) == nil { // else it has none
		p.Own = own.Countersign
	}
	return p, nil
}

// IsAsked reports whether the role has something to sign or to attach; a signer's has, even
// if it is not said yet what.
func (p Package) IsAsked(r Role) bool {
	return r.Type != RoleSender || p.signs(r.ID) || slices.ContainsFunc(r.Files, func(a Asked) bool { return a.Required })
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
