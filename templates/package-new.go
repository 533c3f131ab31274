package templates

import (
	"io"
	"slices"
	"strconv"
	"unicode"
)

// NewPackagePath begins the paths of the pages on which packages are prepared.
const NewPackagePath = "/packages/new"

// UntitledID is the message that names a package without a name.
const UntitledID = "page.compose.untitled"

// NewPackage is "/packages/new", and "/packages/new/{id}" of a draft. Its one form posts
// multipart to the page itself, with the button's do, and, by the keys of the parts:
//
//	name, in_order, files, once, revision, ticket
//	{recipient}.first_name, .last_name, .email, .phone, .by_email, .by_sms
//	{field}.label, .recipient, .document, .kind, .check, .pattern, .message, .required, .min_length, .max_length,
//	        .options, .custom, .anchor, .right, .down, .page, .left, .top, .width, .height, .group
type NewPackage struct {
	Common
	// ID is the draft's id; "" before the draft exists.
	ID string
	// Once distinguishes one page from another, Revision one state of the draft from
	// another.
	Once     string
	Revision int
	// Ticket identifies the person whom the page is shown to; only the server reads it.
	Ticket string
	// Stale says that the draft was changed in another place, and that the person has to
	// choose a version: do=ours or do=theirs.
	Stale bool
	// Unsaved, if not nil, is the only content of the page: the typed values, to be sent
	// once more.
	Unsaved map[string]string

	Name       string
	InOrder    bool
	Documents  []ComposedDocument
	Recipients []ComposedRecipient
	Fields     []ComposedField
	// CustomFields are the account's custom fields.
	CustomFields []Choice
	// Kinds are the kinds of fields, and Checks the names of the checks of their values.
	Kinds  []ComposedKind
	Checks []string
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
}

// ComposedDocument is a document of a package in preparation.
type ComposedDocument struct {
	Key, ID, Name string
	First, Last   bool
	Pages         []ComposedPage
	// Unshown is the number of its form fields that are not shown.
	Unshown int
}

// ComposedPage is a page of the document's outline, in points, with its fields.
type ComposedPage struct {
	Key, Document string // of the document, and its name
	Number        int    // from 1
	Width, Height float64
	Fields        []ComposedField
}

// ComposedRecipient is a recipient with the typed values.
type ComposedRecipient struct {
	Key                               string
	FirstName, LastName, Email, Phone string
	ByEmail, BySMS                    bool
	Number                            int // from 1
	First, Last, Only                 bool
}

// ComposedField is a field with the typed values.
type ComposedField struct {
	Key, Document, Recipient, Kind, Check, Found    string
	Label                                           string
	Pattern, Message, MinLength, MaxLength, Options string
	Custom, Anchor, Group                           string
	Page, Left, Top, Width, Height, Right, Down     string
	Required                                        bool
	// X, Y, W and H are its position on the outline, unless it is placed by a text.
	X, Y, W, H float64
}

// Recipient is "/packages/{id}/recipients/{role}", where a recipient is corrected. Its form
// posts urlencoded there, with the inputs of a recipient of NewPackage.
type Recipient struct {
	Common
	// ID is the package's id.
	ID        string
	Recipient ComposedRecipient
	Wrong     map[string]string
	// Ticket identifies the person whom the page is shown to, for a form sent after the
	// session ended.
	Ticket string
}

func (p Recipient) wrong() (all map[string]string, first string) {
	return p.Wrong, firstOf(p.Recipient.inputs(), p.Wrong)
}

// Recipient writes "/packages/{id}/recipients/{role}".
func (p *Pages) Recipient(w io.Writer, page Recipient) error {
	return p.write(w, "recipient", page.Common, page)
}

// Composed is an input of the form: its name, its typed value and its error.
type Composed struct {
	Name, LabelID, Typed, Wrong, HintID, Type, Autocomplete string
	First                                                   bool
}

// Text returns the input of that name as a text input of type kind, with the typed value.
func (v view) Text(name, labelID, typed, kind string) Composed {
	c := v.Input(name)
	c.LabelID, c.Typed, c.Type = labelID, typed, kind
	return c
}

// Input returns the input of that name with its error.
func (v view) Input(name string) Composed {
	page, ok := v.Page.(interface {
		wrong() (all map[string]string, first string)
	})
	if !ok {
		return Composed{Name: name}
	}
	all, first := page.wrong()
	return Composed{Name: name, Wrong: all[name], First: first == name}
}

// wrong returns all errors, and the first input with one in the order of the page.
func (p NewPackage) wrong() (all map[string]string, first string) {
	names := []string{"name", "files"}
	for _, r := range p.Recipients {
		names = append(names, r.inputs()...)
	}
	for _, f := range p.Fields {
		names = append(names, f.inputs()...)
	}
	return p.Wrong, firstOf(names, p.Wrong)
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
	return under(r.Key, "first_name", "last_name", "email", "phone", "by_email")
}

func (f ComposedField) inputs() []string {
	return under(f.Key, "label", "recipient", "kind", "document", "custom", "check", "pattern", "message", "min_length", "max_length",
		"options", "group", "anchor", "right", "down", "page", "left", "top", "width", "height")
}

func under(key string, names ...string) []string {
	for i, name := range names {
		names[i] = key + "." + name
	}
	return names
}

// RecipientName returns the name to show for a recipient: their name, else their address,
// else their number.
func (v view) RecipientName(r ComposedRecipient) string {
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
func (v view) RecipientNumber(r ComposedRecipient) string {
	return v.T("page.compose.recipient-number", "Number", strconv.Itoa(r.Number))
}

// FieldName returns the name to show for a field: its name in the PDF, else the account's
// name for it, else its label.
func (v view) FieldName(f ComposedField) string {
	page, _ := v.Page.(NewPackage)
	i := slices.IndexFunc(page.CustomFields, func(c Choice) bool { return f.Kind == customKind && c.Value == f.Custom })
	switch {
	case f.Found != "":
		return f.Found
	case i >= 0:
		return page.CustomFields[i].Name
	}
	return f.Label
}

// SpotName returns as much of the field's name as fits its place on the outline.
func (v view) SpotName(f ComposedField) string {
	const margin, letter = 8, 5.5
	name, room := []rune(v.FieldName(f)), f.W-margin
	for i, r := range name {
		if room -= letter; r > unicode.MaxLatin1 {
			room -= letter // most other scripts' letters are as wide as they are high
		}
		switch {
		case room >= 0:
		case i < 2:
			return ""
		default:
			return string(name[:i-1]) + "…"
		}
	}
	return string(name)
}

// OutlineName returns the accessible name of a field on the outline: its name, kind,
// recipient and page.
func (v view) OutlineName(f ComposedField, p ComposedPage) string {
	page, _ := v.Page.(NewPackage)
	recipient := v.T("page.compose.nobody")
	for _, r := range page.Recipients {
		if r.Key == f.Recipient {
			recipient = v.RecipientName(r)
		}
	}
	return v.printer.List(v.FieldName(f), v.KindName(f.Kind), recipient, v.PageName(p))
}

// OutlinePattern returns OutlineName with its parts' names in braces, for scripts.
func (v view) OutlinePattern() string {
	return v.printer.List("{name}", "{kind}", "{recipient}", "{page}")
}

// PageName returns the name of a page of the outline within a field's name.
func (v view) PageName(p ComposedPage) string {
	if page, _ := v.Page.(NewPackage); len(page.Documents) > 1 {
		return v.T("page.compose.page-of", "Number", strconv.Itoa(p.Number), "Name", p.Document)
	}
	return v.T("page.compose.page-number", "Number", strconv.Itoa(p.Number))
}

// KindName returns the name of a kind.
func (v view) KindName(kind string) string { return v.T(KindID(kind)) }

// CheckName returns the name of a check.
func (v view) CheckName(check string) string { return v.T(checkIDs[check]) }

// KindID returns the message id of a kind of field.
func KindID(kind string) string { return kindIDs[kind] }

// customKind is the kind that shows a custom field of the account.
const customKind = "custom"

var kindIDs = map[string]string{
	"fullname": "page.compose.kind-fullname", "initials": "page.compose.kind-initials", "drawn": "page.compose.kind-drawn",
	"mobile": "page.compose.kind-mobile", "text": "page.compose.kind-text", "area": "page.compose.kind-area",
	"checkbox": "page.compose.kind-checkbox", "date": "page.compose.kind-date", "radio": "page.compose.kind-radio",
	"list": "page.compose.kind-list", customKind: "page.compose.kind-custom", "signed": "page.compose.kind-signed",
	"name": "page.compose.kind-name", "title": "page.compose.kind-title", "company": "page.compose.kind-company",
}

var checkIDs = map[string]string{
	"any": "page.compose.check-any", "letters": "page.compose.check-letters", "number": "page.compose.check-number",
	"email": "page.compose.check-email", "own": "page.compose.check-own",
}

// NewPackage writes "/packages/new".
func (p *Pages) NewPackage(w io.Writer, page NewPackage) error {
	return p.write(w, "package-new", page.Common, page)
}
