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
	// ID is the draft's; "" while there is none.
	ID string
	// Once tells one page from another, Revision one state of the draft from another.
	Once     string
	Revision int
	// Ticket is whom the page is shown to, for the server alone to read.
	Ticket string
	// Stale says that the draft was changed elsewhere, and that it is to be settled what
	// counts: do=ours or do=theirs.
	Stale bool
	// Unsaved, where it is not nil, is all that the page shows: what was typed, to be sent
	// once more.
	Unsaved map[string]string

	Name       string
	InOrder    bool
	Documents  []ComposedDocument
	Recipients []ComposedRecipient
	Fields     []ComposedField
	// CustomFields are those of the account.
	CustomFields []Choice
	// Kinds are what a field can be, and Checks the names of what it can ask.
	Kinds  []ComposedKind
	Checks []string
	// MaxUpload is how many MiB the documents of one upload have at most.
	MaxUpload int
	// Wrong is what is wrong with what was typed, by the names of the inputs.
	Wrong map[string]string
}

// Choice is one of a list to choose from.
type Choice struct{ Value, Name string }

// ComposedKind is a kind of field: its name in the form, what it is called in the
// package's language, and how large a new field is, in points.
type ComposedKind struct {
	Name, Word    string
	Width, Height float64
}

// ComposedDocument is a document of a package that is prepared.
type ComposedDocument struct {
	Key, ID, Name string
	First, Last   bool
	Pages         []ComposedPage
	// Unshown is how many form fields it has beyond those that are shown.
	Unshown int
}

// ComposedPage is a page of its outline, in points, with what stands on it.
type ComposedPage struct {
	Key, Document string // of the document, and its name
	Number        int    // from 1
	Width, Height float64
	Fields        []ComposedField
}

// ComposedRecipient is a recipient, with what was typed.
type ComposedRecipient struct {
	Key                               string
	FirstName, LastName, Email, Phone string
	ByEmail, BySMS                    bool
	Number                            int // from 1
	First, Last, Only                 bool
}

// ComposedField is a field, with what was typed.
type ComposedField struct {
	Key, Document, Recipient, Kind, Check, Found    string
	Label                                           string
	Pattern, Message, MinLength, MaxLength, Options string
	Custom, Anchor, Group                           string
	Page, Left, Top, Width, Height, Right, Down     string
	Required                                        bool
	// X, Y, W and H are where it stands on the outline, unless it stands by a text.
	X, Y, W, H float64
}

// Recipient is "/packages/{id}/recipients/{role}", where a recipient is corrected. Its form
// posts urlencoded there, with the inputs of a recipient of NewPackage.
type Recipient struct {
	Common
	// ID is the package's.
	ID        string
	Recipient ComposedRecipient
	Wrong     map[string]string
	// Ticket is whose page it is, for what they send when they are signed out.
	Ticket string
}

func (p Recipient) wrong() (all map[string]string, first string) {
	return p.Wrong, firstOf(p.Recipient.inputs(), p.Wrong)
}

// Recipient writes "/packages/{id}/recipients/{role}".
func (p *Pages) Recipient(w io.Writer, page Recipient) error {
	return p.write(w, "recipient", page.Common, page)
}

// Composed is an input of the form: its name, what was typed, and what is wrong with it.
type Composed struct {
	Name, LabelID, Typed, Wrong, HintID, Type, Autocomplete string
	First                                                   bool
}

// Text is the input of that name: a text of that type, with what was typed.
func (v view) Text(name, labelID, typed, kind string) Composed {
	c := v.Input(name)
	c.LabelID, c.Typed, c.Type = labelID, typed, kind
	return c
}

// Input is what is wrong with the input of that name.
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

// wrong is what is wrong, and the first input that it is about in the order of the page.
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

// firstOf is the first of names with something wrong.
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

// RecipientName is what to call a recipient: their name, else their address, else their
// number.
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

// RecipientNumber is the recipient's number in words.
func (v view) RecipientNumber(r ComposedRecipient) string {
	return v.T("page.compose.recipient-number", "Number", strconv.Itoa(r.Number))
}

// FieldName is what to call a field: as the PDF does, or the account, else by its label.
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

// SpotName is as much of the field's name as fits where it stands on the outline.
func (v view) SpotName(f ComposedField) string {
	const margin, letter = 8, 5.5
	name, room := []rune(v.FieldName(f)), f.W-margin
	for i, r := range name {
		if room -= letter; r > unicode.MaxLatin1 {
			room -= letter // most of the others are as wide as they are high
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

// OutlineName is what a field is called on the page of the outline: its name, its kind,
// whose it is, and where.
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

// OutlinePattern is OutlineName with the names of its parts in braces, for scripts.
func (v view) OutlinePattern() string {
	return v.printer.List("{name}", "{kind}", "{recipient}", "{page}")
}

// PageName is what a page of the outline is called in a field's name.
func (v view) PageName(p ComposedPage) string {
	if page, _ := v.Page.(NewPackage); len(page.Documents) > 1 {
		return v.T("page.compose.page-of", "Number", strconv.Itoa(p.Number), "Name", p.Document)
	}
	return v.T("page.compose.page-number", "Number", strconv.Itoa(p.Number))
}

// KindName is the word of a kind.
func (v view) KindName(kind string) string { return v.T(KindID(kind)) }

// CheckName is the word of a check.
func (v view) CheckName(check string) string { return v.T(checkIDs[check]) }

// KindID is the message that names a kind of field.
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
