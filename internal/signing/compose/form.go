// Package compose turns the package editor's form into the platform's draft, with each
// violation at its input.
//
// It knows neither HTTP servers nor permissions. The rules of a payload are internal/signing's.
package compose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/payload"
	"countersign/internal/signing"
)

// Form is a package as it was typed. Keys name its parts in the inputs of the page and
// are never reused.
type Form struct {
	Name       string      `json:"name"`
	InOrder    bool        `json:"inOrder,omitzero"`
	Documents  []Document  `json:"documents,omitzero"`
	Recipients []Recipient `json:"recipients,omitzero"`
	Fields     []Field     `json:"fields,omitzero"`
	SendOptions
	// Last is the number in the key that was created last.
	Last int `json:"last,omitzero"`
	// Revision counts how often the form was stored. Done is the digest of the page that
	// was submitted last, so that a page submitted twice counts once, and Attached of the
	// one whose files were added last.
	Revision int    `json:"revision,omitzero"`
	Done     string `json:"done,omitzero"`
	Attached string `json:"attached,omitzero"`
	// Page is the once of the page that stored it last: see Draft.Outdated.
	Page string `json:"page,omitzero"`
	// Base is the digest of the platform's package when the form was stored.
	Base string `json:"base,omitzero"`

	at origin // what the platform has
}

// Document is a document at the platform.
type Document struct {
	Key  string `json:"key"`
	ID   string `json:"id"`
	Name string `json:"name"`
	// Pages are the sizes of the pages in points, and Scale is the number of the
	// platform's units in a point. While Scale is 0, the sizes and the numbers of the document's
	// fields are in the platform's unit.
	Pages []Page  `json:"pages,omitzero"`
	Scale float64 `json:"scale,omitzero"`
	// Size is the size of the file, in bytes; 0 if unknown.
	Size int64 `json:"size,omitzero"`
	// Unshown counts the form fields found in the document that did not become fields
	// here.
	Unshown int `json:"unshown,omitzero"`
	// Signed says that the file was signed before it came here.
	Signed bool `json:"signed,omitzero"`
}

// Page is the size of a page.
type Page struct {
	Width  float64 `json:"w"`
	Height float64 `json:"h"`
}

// Recipient is a person who is to sign. ID is the id of the role at the platform, "" for
// a new one.
type Recipient struct {
	Key       string `json:"key"`
	ID        string `json:"id,omitzero"`
	FirstName string `json:"firstName,omitzero"`
	LastName  string `json:"lastName,omitzero"`
	Email     string `json:"email,omitzero"`
	Phone     string `json:"phone,omitzero"`
	ByEmail   bool   `json:"byEmail,omitzero"`
	BySMS     bool   `json:"bySMS,omitzero"`
	// Request is a file that they are asked for, Others those that only the platform has.
	Request Request                 `json:"request,omitzero"`
	Others  []signing.RequestedFile `json:"others,omitzero"`
	// Message is a text to this person alone. Reassign lets them pass the signing on.
	Message  string `json:"message,omitzero"`
	Reassign bool   `json:"reassign,omitzero"`
	// AskPasskey and AskIdentity are the proofs that are asked for before signing.
	AskPasskey  bool `json:"askPasskey,omitzero"`
	AskIdentity bool `json:"askIdentity,omitzero"`
}

// Field is a signature or an input of a document, with everything as it was typed.
type Field struct {
	Key       string `json:"key"`
	Document  string `json:"document"`           // a key
	Recipient string `json:"recipient,omitzero"` // a key; "" for none
	Label     string `json:"label,omitzero"`     // what the signer is asked for
	Kind      string `json:"kind"`               // of Kinds
	Shows     string `json:"shows,omitzero"`     // of Shows, for a label
	Check     string `json:"check,omitzero"`     // of Checks
	Pattern   string `json:"pattern,omitzero"`   // of the check own
	Message   string `json:"message,omitzero"`   // for a wrong entry
	Required  bool   `json:"required,omitzero"`  //
	MinLength string `json:"minLength,omitzero"` //
	MaxLength string `json:"maxLength,omitzero"` //
	Options   string `json:"options,omitzero"`   // of a list, one a line
	Custom    string `json:"custom,omitzero"`    // the id of a custom field
	Anchor    string `json:"anchor,omitzero"`    // a text; "" places the field by coordinates
	Hit       string `json:"hit,omitzero"`       // which occurrence of the anchor, from 1; "" is the first
	Place     string `json:"place,omitzero"`     // of Placements
	Right     string `json:"right,omitzero"`     // right of that; "" is 0
	Down      string `json:"down,omitzero"`      // below that; "" is 0
	Page      string `json:"page,omitzero"`      // from 1
	Left      string `json:"left,omitzero"`      //
	Top       string `json:"top,omitzero"`       //
	Width     string `json:"width,omitzero"`     // "", with Height, for the size
	Height    string `json:"height,omitzero"`    // of its kind
	Found     string `json:"found,omitzero"`     // the name of the PDF's form field; "" for an added field
	Title     string `json:"title,omitzero"`     // what the PDF calls it for people; "" for its name
	Group     string `json:"group,omitzero"`     // of radio buttons
	Partial   bool   `json:"partial,omitzero"`   // one of several places of a found field
	At        *spot  `json:"at,omitzero"`        // where the anchor stands, once that is known
	ID        string `json:"id,omitzero"`        // the platform's, of the document From there
	From      string `json:"from,omitzero"`      //
	Unnamed   bool   `json:"unnamed,omitzero"`   // it has no name there, and
	Given     string `json:"given,omitzero"`     // is called so here
	Fixed     string `json:"fixed,omitzero"`     // what a program has set and no form shows: its subtype, or approval
	Approval  string `json:"approval,omitzero"`  // the id of an approval without fields, which is Fixed
}

// key returns a new key that begins with letter.
func (f *Form) key(letter string) string {
	f.Last++
	return letter + strconv.Itoa(f.Last)
}

// AddRecipient adds an empty recipient, to be notified by e-mail, and returns its key.
func (f *Form) AddRecipient() string {
	r := Recipient{Key: f.key("r"), ByEmail: true}
	f.Recipients = append(f.Recipients, r)
	return r.Key
}

// AddDocument adds a document after the others and returns its key.
func (f *Form) AddDocument(d Document) string {
	d.Key = f.key("d")
	f.Documents = append(f.Documents, d)
	return d.Key
}

// Type takes over what was typed, by the names of the inputs: those of a recipient or a
// field begin with its key and a dot. A part of the form keeps its values if typed lacks
// the one input that the part always has. A field without a label gets one from words.
func (f *Form) Type(typed map[string]string, words KindWords) {
	f.take(typed)
	for i := range f.Recipients {
		f.Recipients[i].Type(typed)
	}
	f.label(words) // as they were shown
	f.adopt(typed)
	for i := range f.Fields {
		before := f.Fields[i]
		f.Fields[i].take(typed)
		if typed["by_hand"] == "" { // the page's script has followed
			f.Fields[i].follow(before, words)
		}
	}
	f.label(words)
}

// take takes over the name, unless it is the first file's, and the order.
func (f *Form) take(typed map[string]string) {
	name, ok := typed["name"]
	if !ok {
		return
	}
	if name = keepUnchanged(f.Title(), name); name != f.Title() {
		f.Name = name
	}
	f.InOrder = typed["in_order"] != ""
}

// Type takes over what was typed for the recipient. An address with a name in front of it
// fills in the names that are empty.
func (r *Recipient) Type(typed map[string]string) {
	prefix := r.Key + "."
	if _, ok := typed[prefix+"email"]; !ok {
		return
	}
	text := func(name string) string { return strings.TrimSpace(typed[prefix+name]) }
	r.FirstName, r.LastName = keepUnchanged(r.FirstName, typed[prefix+"first_name"]), keepUnchanged(r.LastName, typed[prefix+"last_name"])
	r.Email, r.Phone = payload.NormalAddress(typed[prefix+"email"]), payload.NormalPhone(typed[prefix+"phone"])
	r.Request.take(typed, prefix)
	r.ByEmail, r.BySMS = text("by_email") != "", text("by_sms") != ""
	if message, ok := typed[prefix+"message"]; ok {
		r.Message, r.Reassign = keepUnchangedLines(r.Message, message), text("reassign") != ""
	}
	if first, last, address, ok := named(typed[prefix+"email"]); ok {
		r.FirstName, r.LastName, r.Email = cmp.Or(r.FirstName, first), cmp.Or(r.LastName, last), payload.NormalAddress(address)
	}
	shown, known := typed[prefix+"asked"]
	for kind, asks := range map[string]*bool{askedPasskey: &r.AskPasskey, askedIdentity: &r.AskIdentity} {
		asked := text("ask_"+kind) != ""
		if !known || asked != slices.Contains(strings.Fields(shown), kind) {
			*asks = asked
		}
	}
}

// The kinds of proofs in a form. What the form showed as asked comes back beside the
// person's choice, which counts if it differs: else a program's choice since then stays.
const (
	askedPasskey  = "passkey"
	askedIdentity = "identity"
)

func (d *Field) take(typed map[string]string) {
	prefix := d.Key + "."
	if _, ok := typed[prefix+"recipient"]; !ok || d.Fixed != "" {
		return
	}
	label := d.Label
	for name, to := range map[string]*string{
		"recipient": &d.Recipient, "document": &d.Document, "kind": &d.Kind, "check": &d.Check, "pattern": &d.Pattern, "message": &d.Message,
		"custom": &d.Custom, "anchor": &d.Anchor, "shows": &d.Shows, "place": &d.Place, "label": &d.Label, "group": &d.Group,
	} {
		if value, ok := typed[prefix+name]; ok {
			*to = keepUnchanged(*to, value)
		}
	}
	if value, ok := typed[prefix+"options"]; ok {
		d.Options = keepUnchangedLines(d.Options, value)
	}
	for name, to := range map[string]*string{
		"min_length": &d.MinLength, "max_length": &d.MaxLength, "hit": &d.Hit, "right": &d.Right, "down": &d.Down,
		"page": &d.Page, "left": &d.Left, "top": &d.Top, "width": &d.Width, "height": &d.Height,
	} {
		if value, ok := typed[prefix+name]; ok {
			*to = payload.NormalNumber(value)
		}
	}
	d.Required = typed[prefix+"required"] != ""
	if d.Kind == customKind { // what was shown as the label is the account's
		d.Label = label
	}
	d.updateKind()
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

// Addresses returns the e-mail addresses of the recipients.
func (f *Form) Addresses() (all []string) {
	for _, r := range f.Recipients {
		all = append(all, r.Email)
	}
	return all
}
