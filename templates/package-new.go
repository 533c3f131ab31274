package templates

import (
	"cmp"
	"slices"
	"strconv"
)

// NewPackagePath begins the paths of the pages on which packages are prepared.
const NewPackagePath = "/packages/new"

// UntitledID is the message that names a package without a name.
const UntitledID = "page.compose.untitled"

// NewPackage is "/packages/new", and "/packages/new/{id}" of a draft. Its one form posts
// multipart to the page itself, with the button's do, and, by the keys of the parts:
//
//	name, in_order, files, once, revision, shown, newer, ticket
//	message, language, due, due_shown, due_at, due_end, zone, remind_first, remind_every, remind_most
//	recipients, was_name, was_language: what the page is shown with, before the draft exists
//	{recipient}.first_name, .last_name, .email, .phone, .by_email, .by_sms, .message, .reassign, .file_name, .file_about, .file_required
//	{field}.label, .recipient, .document, .kind, .check, .pattern, .message, .required, .min_length, .max_length,
//	        .options, .custom, .shows, .group, .page, .left, .top, .width, .height,
//	        .anchor, .hit, .place, .right, .down
//
// A script adds parts of fields under keys of its own, names the removed ones in removed,
// and sets by_hand.
type NewPackage struct {
	Common
	// ID is the draft's id; "" before the draft exists.
	ID string
	// Once distinguishes one page from another, Revision one state of the draft from
	// another.
	Once, Revision string
	// StoredBy is the Once of the page that stored the draft last.
	StoredBy string
	// Lost names the creation of a draft whose answer got lost; "" if none did.
	Lost string
	// Ticket identifies the person whom the page is shown to; only the server reads it.
	Ticket string
	// Newer is the Revision that the draft has by now, if the page shows an older one; else "".
	Newer string
	// Unsaved, if not nil, is the only content of the page: the typed values, to be sent
	// once more.
	Unsaved map[string]string

	Name       string
	InOrder    bool
	Documents  []ComposedDocument
	Recipients []ComposedRecipient
	Fields     []ComposedField
	Sending    ComposedSending
	// Focus is the id of the input or button to focus; "" leaves the focus to the browser.
	Focus string
	// CustomFields are the account's custom fields.
	CustomFields []Choice
	// Kinds are the kinds of fields, and Checks the names of the checks of their values.
	Kinds  []ComposedKind
	Checks []string
	// Shows are the names of what a label can show, and Placements those of a field's
	// places by a text.
	Shows, Placements []string
	// Blank is the field that scripts copy for a new one; nil without a document.
	Blank *ComposedField
	// MaxUpload limits the documents of one upload, in MiB.
	MaxUpload int
	// Wrong holds the errors of the inputs, by their names.
	Wrong map[string]string
}

// Choice is one option of a list.
type Choice struct{ Value, Name string }

// ComposedKind is a kind of field: its name in the form, its name in the package's
// language, and the size of a new field, in points.
type ComposedKind struct {
	Name, Word    string
	Width, Height float64
	// Everywhere says that it can be copied to every page.
	Everywhere bool
}

// ComposedDocument is a document of a package in preparation.
type ComposedDocument struct {
	Key, ID, Name string
	// Size is in bytes; 0 if unknown.
	Size        int64
	First, Last bool
	Pages       []ComposedPage
	// Unshown is the number of its form fields that are not shown.
	Unshown int
	// Signed says that the file was signed before, which its signatures do not outlive.
	Signed bool
}

// ComposedPage is a page of a document, in points, with its fields.
type ComposedPage struct {
	// Key, ID and Document are the document's key in the form, its id and its title.
	Key, ID, Document string
	Number            int // from 1
	Width, Height     float64
	Fields            []ComposedField
}

// ComposedRecipient is a recipient with the typed values.
type ComposedRecipient struct {
	Key                               string
	FirstName, LastName, Email, Phone string
	ByEmail, BySMS                    bool
	FileName, FileAbout               string // the file that they are asked for
	FileRequired                      bool
	Message                           string
	Reassign                          bool
	AskPasskey, AskIdentity           bool
	Number                            int // from 1
	First, Last, Only                 bool
	// AlsoSign are further signers of the role, whom a program has named.
	AlsoSign []string
}

// ComposedField is a field with the typed values.
type ComposedField struct {
	Key, Document, Recipient, Kind, Check, Shows    string
	Found, Title                                    string // a form field's name, and its name for people
	Label                                           string
	Pattern, Message, MinLength, MaxLength, Options string
	Custom, Group                                   string
	Anchor, Hit, Place                              string
	Page, Left, Top, Width, Height, Right, Down     string
	Required                                        bool
	// Placed says that it stands on the page Sheet, from 1, at X, Y, W and H.
	Placed     bool
	Sheet      int
	X, Y, W, H float64
	// Fixed, if not "", says that a program has set it and that it has no inputs: its kind at the
	// platform, or "-" for an approval without fields. ID is its id there.
	Fixed, ID string
}

// Recipient is "/packages/{id}/recipients/{role}", where a recipient is corrected. Its form
// posts urlencoded there, with the inputs of a recipient of NewPackage.
type Recipient struct {
	Common
	// ID is the package's id, Name its name.
	ID, Name  string
	Recipient ComposedRecipient
	Wrong     map[string]string
	// Ticket identifies the person whom the page is shown to, for a form sent after the
	// session ended.
	Ticket string
}

func (p Recipient) wrong() (all map[string]string, first string) {
	return p.Wrong, firstOf(p.Recipient.inputs(), p.Wrong)
}

// composed is an input of the form: its name, its typed value and its error.
type composed struct {
	Name, LabelID, UnitID, Typed, Wrong, HintID, Type, Autocomplete string
	First                                                           bool
	// Required marks the input in words.
	Required bool
}

// Text returns the input of that name as a text input of type kind, with the typed value.
func (v View) Text(name, labelID, typed, kind string) composed {
	c := v.Input(name)
	c.LabelID, c.Typed, c.Type = labelID, typed, kind
	return c
}

// Required is Text for an input that must be filled in.
func (v View) Required(name, labelID, typed, kind string) composed {
	c := v.Text(name, labelID, typed, kind)
	c.Required = true
	return c
}

// Focuses reports whether the page gives the focus to the element with that id.
func (v View) Focuses(id string) bool {
	page, _ := v.Page.(NewPackage)
	return page.Focus == id && page.Problem == nil
}

// Input returns the input of that name with its error.
func (v View) Input(name string) composed {
	page, ok := v.Page.(interface {
		wrong() (all map[string]string, first string)
	})
	if !ok {
		return composed{Name: name}
	}
	all, first := page.wrong()
	return composed{Name: name, Wrong: all[name], First: first == name}
}

// wrong returns all errors, and the first input with one in the order of the page.
func (p NewPackage) wrong() (all map[string]string, first string) {
	return p.Wrong, cmp.Or(firstOf(p.inputs(), p.Wrong), p.Focus)
}

// inputs returns the names of the inputs in the order of the page.
func (p NewPackage) inputs() []string {
	names := []string{"name", "files"}
	for _, r := range p.Recipients {
		names = append(names, r.inputs()...)
	}
	for _, f := range p.Fields {
		names = append(names, f.inputs()...)
	}
	return append(names, "message", "language", "due", "remind_first", "remind_every", "remind_most")
}

// firstOf returns the first of names with an error.
func firstOf(names []string, wrong map[string]string) string {
	i := slices.IndexFunc(names, func(name string) bool { return wrong[name] != "" })
	if i < 0 {
		return ""
	}
	return names[i]
}

func (r ComposedRecipient) inputs() []string {
	return under(r.Key, "first_name", "last_name", "email", "phone", "by_email", "message", "file_name", "file_about")
}

func (f ComposedField) inputs() []string {
	if f.Fixed != "" {
		return nil
	}
	return under(f.Key, "recipient", "kind", "custom", "group", "label", "check", "pattern", "min_length", "max_length", "message",
		"options", "document", "page", "left", "top", "width", "height", "anchor", "hit", "right", "down")
}

func under(key string, names ...string) []string {
	for i, name := range names {
		names[i] = key + "." + name
	}
	return names
}

// RecipientName returns the name to show for a recipient: their name, else their address,
// else their number.
func (v View) RecipientName(r ComposedRecipient) string {
	switch {
	case r.FirstName != "" && r.LastName != "":
		return r.FirstName + " " + r.LastName
	case r.FirstName+r.LastName != "":
		return r.FirstName + r.LastName
	case r.Email != "":
		return r.Email
	}
	return v.RecipientNumber(r)
}

// RecipientNumber returns the recipient's number in words.
func (v View) RecipientNumber(r ComposedRecipient) string {
	return v.T("page.compose.recipient-number", "Number", strconv.Itoa(r.Number))
}

// FieldName returns the name to show for a field: its name in the PDF, else the account's
// name for it, else its label.
func (v View) FieldName(f ComposedField) string {
	page, _ := v.Page.(NewPackage)
	i := slices.IndexFunc(page.CustomFields, func(c Choice) bool { return f.Kind == customKind && c.Value == f.Custom })
	switch {
	case f.Fixed != "":
		return cmp.Or(f.Label, f.ID)
	case f.Title != "":
		return f.Title
	case i >= 0:
		return page.CustomFields[i].Name
	}
	return f.Label
}
