package signing

import (
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
	EmailMessage string          `json:"emailMessage,omitzero"`
	Roles        []DraftRole     `json:"roles"`
	Documents    []DraftDocument `json:"documents"`
}

// DraftRole is a role. Index is its position in the signing order, from 1; a role with 0
// signs at any time.
type DraftRole struct {
	ID      string        `json:"id,omitzero"`
	Type    string        `json:"type,omitzero"`
	Index   int           `json:"index"`
	Signers []DraftSigner `json:"signers"`
	// Files are the files that the role is asked for; nil leaves them as they are.
	Files []DraftFile `json:"attachmentRequirements,omitzero"`
	// Reassign lets the signer pass the signing on to another person. EmailMessage is the
	// text of the role's own invitation; nil leaves it as it is.
	Reassign     bool          `json:"reassign"`
	EmailMessage *DraftMessage `json:"emailMessage,omitzero"`
}

// DraftFile is a file that a role is asked for.
type DraftFile struct {
	ID          string `json:"id,omitzero"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// DraftMessage is a text to the signer of one role; "" is none.
type DraftMessage struct {
	Content string `json:"content"`
}

// UnmarshalJSON reads an object with the content, or the content itself; anything else is
// no message.
func (m *DraftMessage) UnmarshalJSON(text []byte) error {
	var object struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(text, &m.Content) != nil && json.Unmarshal(text, &object) == nil {
		m.Content = object.Content
	}
	return nil
}

// DraftSigner is the person who signs for a role.
type DraftSigner struct {
	ID        string   `json:"id,omitzero"`
	FirstName string   `json:"firstName"`
	LastName  string   `json:"lastName"`
	Email     string   `json:"email"`
	Phone     string   `json:"phone"`
	Notify    notified `json:"notificationMethods"`
}

// notified lists how a signer is notified of the package: EMAIL, SMS or both.
type notified struct {
	Primary []string `json:"primary"`
}

// DraftDocument is a document. Extract takes fields from the form fields of its file,
// which works only if the file is sent along.
type DraftDocument struct {
	ID        string          `json:"id,omitzero"`
	Name      string          `json:"name,omitzero"`
	Index     int             `json:"index"`
	Extract   bool            `json:"extract"`
	Approvals []DraftApproval `json:"approvals"`
	Pages     []DraftPage     `json:"pages,omitzero"`
}

// DraftPage is the size of a page, in the unit in which the platform places fields.
type DraftPage struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// DraftApproval lists the fields of a document that a role fills in or signs.
type DraftApproval struct {
	Role   string       `json:"role"`
	Fields []DraftField `json:"fields"`
}

// DraftField is a signature or an input, placed by its form field (Extract), by an anchor
// or by coordinates. Page counts from 0.
type DraftField struct {
	Name       string           `json:"name,omitzero"`
	Type       string           `json:"type"`
	Subtype    string           `json:"subtype"`
	Binding    string           `json:"binding,omitzero"`
	Page       int              `json:"page"`
	Extract    bool             `json:"extract,omitzero"`
	Left       float64          `json:"left,omitzero"`
	Top        float64          `json:"top,omitzero"`
	Width      float64          `json:"width,omitzero"`
	Height     float64          `json:"height,omitzero"`
	Anchor     *DraftAnchor     `json:"extractAnchor,omitzero"`
	Validation *DraftValidation `json:"validation,omitzero"`
}

// DraftAnchor is a text in the document next to which a field is placed.
type DraftAnchor struct {
	Text           string  `json:"text"`
	Index          int     `json:"index"`
	CharacterIndex int     `json:"characterIndex"`
	AnchorPoint    string  `json:"anchorPoint"`
	LeftOffset     float64 `json:"leftOffset"`
	TopOffset      float64 `json:"topOffset"`
	Width          float64 `json:"width"`
	Height         float64 `json:"height"`
}

// DraftValidation restricts what may be entered into a field; a nil member restricts
// nothing.
type DraftValidation struct {
	Required     bool     `json:"required"`
	ErrorMessage string   `json:"errorMessage,omitzero"`
	Pattern      string   `json:"pattern,omitzero"`
	MinLength    *int     `json:"minLength,omitzero"`
	MaxLength    *int     `json:"maxLength,omitzero"`
	Enum         []string `json:"enum,omitzero"`
	Group        string   `json:"group,omitzero"`
}

// Check applies the rules for creating a package to d, whose files were checked already.
// The error is request.invalid with the pointers of the violations.
func (d Draft) Check(c Context) error {
	return check(d, c, CheckPackage)
}

// CheckRecipient applies the rules for updating a role to r.
func (r DraftRole) CheckRecipient(c Context) error { return check(r, c, CheckRoleUpdate) }

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
