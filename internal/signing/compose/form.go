// Package compose is a package while people prepare it: a form with everything that was
// typed, right or not; the steps that change it; the draft at the platform that it
// becomes, with each violation of the rules led back to its input; and how the form is
// kept with that draft, sealed, so that nothing typed is lost.
//
// It knows neither HTTP servers nor who may do what, and has no rules of its own: those
// of a payload are internal/signing's.
package compose

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/intake"
)

// Form is a package as it was typed. Keys name its parts in the inputs of the page and
// are never used twice.
type Form struct {
	Name       string      `json:"name"`
	InOrder    bool        `json:"inOrder,omitzero"`
	Documents  []Document  `json:"documents,omitzero"`
	Recipients []Recipient `json:"recipients,omitzero"`
	Fields     []Field     `json:"fields,omitzero"`
	// Last is the number of the key that was given last.
	Last int `json:"last,omitzero"`
	// Revision is how often the form was kept, and Done the digest of the page that was
	// sent last, so that one that is sent twice counts once.
	Revision int    `json:"revision,omitzero"`
	Done     string `json:"done,omitzero"`
	// Base is the digest of what the platform had when the form was kept.
	Base string `json:"base,omitzero"`
}

// Document is a document that the platform has.
type Document struct {
	Key  string `json:"key"`
	ID   string `json:"id"`
	Name string `json:"name"`
	// Pages are their sizes in points, and Scale is how many of the platform's units a
	// point is. While Scale is 0, the sizes and the numbers of the document's fields are
	// the platform's.
	Pages []Page  `json:"pages,omitzero"`
	Scale float64 `json:"scale,omitzero"`
	// Unshown is how many form fields were found in it beyond those that are fields.
	Unshown int `json:"unshown,omitzero"`
}

// Page is the size of a page.
type Page struct {
	Width  float64 `json:"w"`
	Height float64 `json:"h"`
}

// Recipient is who is to sign. ID is that of the role at the platform, "" for a new one.
type Recipient struct {
	Key       string `json:"key"`
	ID        string `json:"id,omitzero"`
	FirstName string `json:"firstName,omitzero"`
	LastName  string `json:"lastName,omitzero"`
	Email     string `json:"email,omitzero"`
	Phone     string `json:"phone,omitzero"`
	ByEmail   bool   `json:"byEmail,omitzero"`
	BySMS     bool   `json:"bySMS,omitzero"`
}

// Field is a signature or an input of a document, with everything as it was typed.
type Field struct {
	Key       string `json:"key"`
	Document  string `json:"document"`           // a key
	Recipient string `json:"recipient,omitzero"` // a key; "" is nobody
	Label     string `json:"label,omitzero"`     // what the signer is asked for
	Kind      string `json:"kind"`               // of Kinds
	Check     string `json:"check,omitzero"`     // of Checks
	Pattern   string `json:"pattern,omitzero"`   // of the check own
	Message   string `json:"message,omitzero"`   // for a wrong entry
	Required  bool   `json:"required,omitzero"`  //
	MinLength string `json:"minLength,omitzero"` //
	MaxLength string `json:"maxLength,omitzero"` //
	Options   string `json:"options,omitzero"`   // of a list, one a line
	Custom    string `json:"custom,omitzero"`    // the id of a custom field
	Anchor    string `json:"anchor,omitzero"`    // a text; "" is placed by coordinates
	Right     string `json:"right,omitzero"`     // of the text; "" is 0
	Down      string `json:"down,omitzero"`      // of the text; "" is 0
	Page      string `json:"page,omitzero"`      // from 1
	Left      string `json:"left,omitzero"`      //
	Top       string `json:"top,omitzero"`       //
	Width     string `json:"width,omitzero"`     // with Height ""
	Height    string `json:"height,omitzero"`    // it is as large as its kind
	Found     string `json:"found,omitzero"`     // the name of the PDF's form field; "" is one of ours
	Group     string `json:"group,omitzero"`     // of radio buttons
	Partial   bool   `json:"partial,omitzero"`   // one place of several of a found field
}

// New is an empty form, with one recipient to begin with.
func New() Form {
	f := Form{}
	f.AddRecipient()
	return f
}

// key is a new key, which begins with letter.
func (f *Form) key(letter string) string {
	f.Last++
	return letter + strconv.Itoa(f.Last)
}

// AddRecipient adds an empty recipient, who is told by e-mail, and returns its key.
func (f *Form) AddRecipient() string {
	r := Recipient{Key: f.key("r"), ByEmail: true}
	f.Recipients = append(f.Recipients, r)
	return r.Key
}

// AddDocument adds a document behind the others and returns its key.
func (f *Form) AddDocument(d Document) string {
	d.Key = f.key("d")
	f.Documents = append(f.Documents, d)
	return d.Key
}

// Type takes over what was typed, by the names of the inputs: those of a recipient or a
// field begin with its key and a dot. Parts of the form that
// typed does not have stay as they are: that is told by the one input that each of them
// always has. Fields without a label get one of the words for kinds.
func (f *Form) Type(typed map[string]string, words KindWords) {
	if name, ok := typed["name"]; ok {
		f.Name = strings.TrimSpace(name)
		f.InOrder = typed["in_order"] != ""
	}
	for i := range f.Recipients {
		f.Recipients[i].Type(typed)
	}
	f.Label(words) // as they were shown
	for i := range f.Fields {
		before := f.Fields[i]
		f.Fields[i].take(typed)
		f.Fields[i].follow(before, words)
	}
	f.Label(words)
}

// Type takes over what was typed of the recipient.
func (r *Recipient) Type(typed map[string]string) {
	prefix := r.Key + "."
	if _, ok := typed[prefix+"email"]; !ok {
		return
	}
	text := func(name string) string { return strings.TrimSpace(typed[prefix+name]) }
	r.FirstName, r.LastName, r.Email, r.Phone = text("first_name"), text("last_name"), intake.NormalAddress(typed[prefix+"email"]), text("phone")
	r.ByEmail, r.BySMS = text("by_email") != "", text("by_sms") != ""
}

func (d *Field) take(typed map[string]string) {
	prefix := d.Key + "."
	if _, ok := typed[prefix+"recipient"]; !ok {
		return
	}
	for name, to := range map[string]*string{
		"recipient": &d.Recipient, "document": &d.Document, "kind": &d.Kind, "check": &d.Check, "pattern": &d.Pattern, "message": &d.Message,
		"min_length": &d.MinLength, "max_length": &d.MaxLength, "options": &d.Options, "custom": &d.Custom, "anchor": &d.Anchor,
		"label": &d.Label, "right": &d.Right, "down": &d.Down, "page": &d.Page, "left": &d.Left, "top": &d.Top, "width": &d.Width, "height": &d.Height, "group": &d.Group,
	} {
		if value, ok := typed[prefix+name]; ok {
			*to = strings.TrimSpace(value)
		}
	}
	d.Required = typed[prefix+"required"] != ""
}

func (f *Form) documentAt(key string) int {
	return slices.IndexFunc(f.Documents, func(d Document) bool { return d.Key == key })
}

func (f *Form) recipientAt(key string) int {
	return slices.IndexFunc(f.Recipients, func(r Recipient) bool { return r.Key == key })
}

func (f *Form) fieldAt(key string) int {
	return slices.IndexFunc(f.Fields, func(d Field) bool { return d.Key == key })
}
