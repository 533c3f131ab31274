package portal

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/handlers/page"
	"countersign/internal/safetext"
	"countersign/internal/signing/compose"
	"countersign/templates"
)

var newTemplate = page.For[editorView]("package-new")

// editorView is "/packages/new", and "/packages/new/{id}" of a draft. Its one form posts
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
// A script adds parts of fields under new keys, names the removed ones in removed,
// and sets by_hand.
type editorView struct {
	templates.Common
	inputs
	// ID is the draft's id; "" before the draft exists.
	ID string
	// Once distinguishes one page from another, Revision one state of the draft from
	// another.
	Once, Revision string
	// StoredBy is the Once of the page that stored the draft last.
	StoredBy string
	// Lost names the creation of a draft whose answer got lost; "" if none did.
	Lost string
	// Ticket identifies the person who is shown the page; only the server reads it.
	Ticket string
	// Newer is the Revision that the draft has by now, if the page shows an older one; else "".
	Newer string
	// Unsaved, if not nil, is the only content of the page: the typed values, to be sent
	// once more.
	Unsaved map[string]string

	Name       string
	InOrder    bool
	Documents  []documentPart
	Recipients []recipientPart
	Fields     []fieldPart
	Sending    sendingPart
	// Focus is the id of the input or button to focus; "" leaves the focus to the browser.
	Focus string
	// CustomFields are the account's custom fields.
	CustomFields []choice
	// Kinds are the kinds of fields, and Checks the checks of their values.
	Kinds  []kindPart
	Checks []label
	// Shows is what a label can show, and Placements are a field's places by a text.
	Shows, Placements []label
	// Blank is the field that scripts copy for a new one; nil without a document.
	Blank *fieldPart
	// MaxUpload limits the documents of one upload, in MiB.
	MaxUpload int
}

// choice is one option of a list.
type choice struct{ Value, Name string }

// label is a name in the form, with the message for people.
type label struct{ Name, NameID string }

// kindPart is a kind of field; Word is its name in the package's language.
type kindPart struct {
	compose.Kind
	NameID, Word string
}

// documentPart is a document of a package in preparation.
type documentPart struct {
	compose.Document
	First, Last bool
	Pages       []pagePart
}

// Facts returns the number of pages of the document and its size, as far as they are known.
func (d documentPart) Facts(v templates.View) string {
	var parts []string
	if n := len(d.Pages); n > 0 {
		parts = append(parts, v.N("format.page-count", n))
	}
	const kilo = 1000
	switch kilobytes := int((d.Size + kilo - 1) / kilo); {
	case kilobytes >= kilo:
		parts = append(parts, v.T("format.megabytes", "Size", v.Number((kilobytes+kilo/2)/kilo)))
	case kilobytes > 0:
		parts = append(parts, v.T("format.kilobytes", "Size", v.Number(kilobytes)))
	}
	if len(parts) == 0 {
		return ""
	}
	return v.List(parts...)
}

// pagePart is a page of a document, in points, with its fields.
type pagePart struct {
	// Key is the document's key in the form, and Document its title.
	Key, Document string
	// Path is the path of its picture and its text, without .png and .txt.
	Path          string
	Number        int // from 1
	Width, Height float64
	Fields        []fieldPart
	// Among says that there are several documents.
	Among bool
}

// Pixels and PixelsHigh are the size of the page's picture in the page, in which a point is
// a pixel.
func (p pagePart) Pixels() int { return max(1, int(math.Round(p.Width))) }

// PixelsHigh is described with Pixels.
func (p pagePart) PixelsHigh() int { return max(1, int(math.Round(p.Height))) }

// PictureName returns the name of the picture of the page.
func (p pagePart) PictureName(v templates.View) string {
	return v.T("page.editor.picture", "Number", strconv.Itoa(p.Number), "Name", p.Document)
}

// ThumbName returns the name of the link to the page.
func (p pagePart) ThumbName(v templates.View) string {
	if p.Among {
		return p.PictureName(v)
	}
	return v.T("format.page", "Number", strconv.Itoa(p.Number))
}

// ShownName returns the name of the page within a field's name.
func (p pagePart) ShownName(v templates.View) string {
	if p.Among {
		return v.T("page.compose.page-of", "Number", strconv.Itoa(p.Number), "Name", p.Document)
	}
	return v.T("page.compose.page-number", "Number", strconv.Itoa(p.Number))
}

// recipientPart is a recipient with the typed values.
type recipientPart struct {
	compose.Recipient
	Number            int // from 1
	First, Last, Only bool
	// Also are the names of further signers of the role that a program has named.
	Also []string
}

// colours is the number of colours that recipients have; further recipients have them
// again.
const colours = 8

// Colour returns the number of the recipient's colour, from 1.
func (r recipientPart) Colour() int { return (r.Number-1)%colours + 1 }

// ShownName returns the name to show for the recipient: their name, else their address,
// else their number.
func (r recipientPart) ShownName(v templates.View) string {
	switch {
	case r.FirstName != "" && r.LastName != "":
		return r.FirstName + " " + r.LastName
	case r.FirstName+r.LastName != "":
		return r.FirstName + r.LastName
	case r.Email != "":
		return r.Email
	}
	return r.NumberName(v)
}

// NumberName returns the recipient's number in words.
func (r recipientPart) NumberName(v templates.View) string {
	return v.T("page.compose.recipient-number", "Number", strconv.Itoa(r.Number))
}

// AlsoSigns returns the sentence about further signers of the role.
func (r recipientPart) AlsoSigns(v templates.View) string {
	return v.T("page.compose.also-signs", "Names", v.List(isolated(r.Also)...))
}

func (r recipientPart) inputs() []string {
	return under(r.Key, "first_name", "last_name", "email", "phone", "by_email", "message", "file_name", "file_about")
}

// fieldPart is a field with the typed values or, where none was typed, the usual ones.
type fieldPart struct {
	compose.Field
	// ShownName is its name in the PDF, else the account's name for it, else its label.
	ShownName string
	// Colour is the number of its recipient's colour; 0 for nobody.
	Colour int
	// Placed says that it stands on the page Sheet, from 1, at X, Y, W and H.
	Placed     bool
	Sheet      int
	X, Y, W, H float64
}

func (f fieldPart) inputs() []string {
	if f.Fixed != "" {
		return nil
	}
	return under(f.Key, "recipient", "kind", "custom", "group", "label", "check", "pattern", "min_length", "max_length", "message",
		"options", "document", "page", "left", "top", "width", "height", "anchor", "hit", "right", "down")
}

// Fitting returns as much of the field's name as fits its place on the page.
func (f fieldPart) Fitting() string {
	const margin, letter = 8, 5.5
	name, room := []rune(f.ShownName), f.W-margin
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

// FixedKind returns the platform's word for what a program has set.
func (f fieldPart) FixedKind(v templates.View) string {
	if f.Fixed == "-" {
		return v.T("page.compose.fixed-approval")
	}
	return safetext.Isolate(f.Fixed)
}

// FixedBy returns the sentence about what a program has set.
func (f fieldPart) FixedBy(v templates.View) string {
	return v.T("page.compose.fixed", "Kind", f.FixedKind(v), "ID", f.ID)
}

// sendingPart is how a package in preparation is sent, as it was typed.
type sendingPart struct {
	compose.SendOptions
	// DueAt is the moment for which the last day is shown, zero for none; Exactly says that
	// this is not the end of the day.
	DueAt   time.Time
	Exactly bool
	// Languages are the languages to choose from.
	Languages []choice
	// Asks are the sentences that a message begins with, and File is the name that the
	// package gets from its first file, for scripts.
	Asks []askPart
	File string
	// ShownName and ShownLanguage are those with which a page without a draft is shown.
	ShownName, ShownLanguage string
}

// ZoneName returns the time zone of the last day as people read it, isolated: it was typed.
func (s sendingPart) ZoneName() string {
	return safetext.Isolate(strings.ReplaceAll(s.Zone, "_", " "))
}

// askPart is the sentence that asks for signatures, in a language. Its {package} is the
// package's name or, without one, Untitled.
type askPart struct{ Language, Sentence, Untitled string }
