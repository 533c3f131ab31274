package templates

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"unicode"

	"countersign/internal/safetext"
)

// colours is the number of colours that recipients have; further recipients have them
// again.
const colours = 8

// Colour returns the number of the recipient's colour, from 1.
func (r ComposedRecipient) Colour() int { return (r.Number-1)%colours + 1 }

// Pixels and PixelsHigh are the size of the page's picture in the page, in which a point is
// a pixel.
func (p ComposedPage) Pixels() int { return max(1, int(math.Round(p.Width))) }

// PixelsHigh is described with Pixels.
func (p ComposedPage) PixelsHigh() int { return max(1, int(math.Round(p.Height))) }

// ColourOf returns the number of the colour of a recipient, by their key; 0 for nobody.
func (v View) ColourOf(recipient string) int {
	page, _ := v.Page.(NewPackage)
	for _, r := range page.Recipients {
		if r.Key == recipient {
			return r.Colour()
		}
	}
	return 0
}

// Pictures returns the address of the picture of a page.
func (v View) Pictures(p ComposedPage) string { return v.pagePath(p) + ".png" }

// TextOf returns the address of the text of a page.
func (v View) TextOf(p ComposedPage) string { return v.pagePath(p) + ".txt" }

func (v View) pagePath(p ComposedPage) string {
	page, _ := v.Page.(NewPackage)
	return "/packages/" + url.PathEscape(page.ID) + "/documents/" + url.PathEscape(p.ID) + "/pages/" + strconv.Itoa(p.Number)
}

// PictureName returns the name of the picture of a page.
func (v View) PictureName(p ComposedPage) string {
	return v.T("page.editor.picture", "Number", strconv.Itoa(p.Number), "Name", p.Document)
}

// ThumbName returns the name of the link to a page.
func (v View) ThumbName(p ComposedPage) string {
	if v.hasSeveralDocuments() {
		return v.PictureName(p)
	}
	return v.T("format.page", "Number", strconv.Itoa(p.Number))
}

// PageName returns the name of a page within a field's name.
func (v View) PageName(p ComposedPage) string {
	if v.hasSeveralDocuments() {
		return v.T("page.compose.page-of", "Number", strconv.Itoa(p.Number), "Name", p.Document)
	}
	return v.T("page.compose.page-number", "Number", strconv.Itoa(p.Number))
}

func (v View) hasSeveralDocuments() bool {
	page, _ := v.Page.(NewPackage)
	return len(page.Documents) > 1
}

// DocumentFacts returns the number of pages of a document and its size, as far as they are known.
func (v View) DocumentFacts(d ComposedDocument) string {
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
	return v.printer.List(parts...)
}

// Measure returns the input of that name as a number with a unit.
func (v View) Measure(name, labelID, typed, unitID string) composed {
	c := v.Text(name, labelID, typed, "text")
	c.UnitID = unitID
	return c
}

// SpotName returns the accessible name of a field on a page: its name, kind, recipient
// and page.
func (v View) SpotName(f ComposedField, p ComposedPage) string {
	page, _ := v.Page.(NewPackage)
	recipient := v.T("page.compose.nobody")
	if i := slices.IndexFunc(page.Recipients, func(r ComposedRecipient) bool { return r.Key == f.Recipient }); i >= 0 {
		recipient = safetext.Isolate(v.RecipientName(page.Recipients[i]))
	}
	return v.printer.List(safetext.Isolate(v.FieldName(f)), v.KindName(f.Kind), recipient, v.PageName(p))
}

// SpotPattern returns SpotName with its parts' names in braces, for scripts.
func (v View) SpotPattern() string {
	return v.printer.List(safetext.Isolate("{name}"), "{kind}", safetext.Isolate("{recipient}"), "{page}")
}

// HitPattern returns the name of a place of a text with its parts' names in braces, for
// scripts.
func (v View) HitPattern() string {
	if v.hasSeveralDocuments() {
		return v.T("page.editor.hit-of", "Number", "{number}", "Count", "{count}", "Page", "{page}", "Name", "{name}")
	}
	return v.T("page.editor.hit", "Number", "{number}", "Count", "{count}", "Page", "{page}")
}

// Fitting returns as much of the field's name as fits its place on the page.
func (v View) Fitting(f ComposedField) string {
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

// Handles returns the sides by which a field's size is changed: compass points.
func (v View) Handles() []string { return []string{"nw", "n", "ne", "e", "se", "s", "sw", "w"} }

// KindName returns the name of a kind.
func (v View) KindName(kind string) string { return v.T(KindID(kind)) }

// kindGroup is a part of the palette: what the kinds in it are for.
type kindGroup struct {
	Name, HeadingID string
	Kinds           []ComposedKind
}

// KindGroups returns the kinds of fields by what recipients do with them: they sign, they
// fill in, or they only read.
func (v View) KindGroups() []kindGroup {
	page, _ := v.Page.(NewPackage)
	groups := []kindGroup{{Name: "sign", HeadingID: "page.editor.to-sign"}, {Name: "fill", HeadingID: "page.editor.to-fill"}, {Name: "read", HeadingID: "page.editor.to-read"}}
	for _, k := range page.Kinds {
		at := 1
		switch k.Name {
		case "fullname", "initials", "drawn", "mobile":
			at = 0
		case "label":
			at = 2
		}
		groups[at].Kinds = append(groups[at].Kinds, k)
	}
	return groups
}

// CheckName returns the name of a check.
func (v View) CheckName(check string) string { return v.T(checkIDs[check]) }

// KindID returns the message id of a kind of field.
func KindID(kind string) string { return kindIDs[kind] }

// customKind is the kind that shows a custom field of the account.
const customKind = "custom"

var kindIDs = map[string]string{
	"fullname": "page.compose.kind-fullname", "initials": "page.compose.kind-initials", "drawn": "page.compose.kind-drawn",
	"mobile": "page.compose.kind-mobile", "text": "page.compose.kind-text", "area": "page.compose.kind-area",
	"checkbox": "page.compose.kind-checkbox", "date": "page.compose.kind-date", "radio": "page.compose.kind-radio",
	"list": "page.compose.kind-list", customKind: "page.compose.kind-custom", "label": "page.editor.kind-label",
}

// ShownName returns the name of what a label shows.
func (v View) ShownName(shown string) string { return v.T(shownIDs[shown]) }

var shownIDs = map[string]string{
	"signed": "page.editor.shows-signed", "name": "page.editor.shows-name",
	"title": "page.editor.shows-title", "company": "page.editor.shows-company",
}

// PlacementName returns the name of a field's place by a text.
func (v View) PlacementName(place string) string { return v.T(placementIDs[place]) }

var placementIDs = map[string]string{
	"on": "page.editor.place-on", "right": "page.editor.place-right", "below": "page.editor.place-below", "above": "page.editor.place-above",
}

var checkIDs = map[string]string{
	"any": "page.compose.check-any", "letters": "page.compose.check-letters", "number": "page.compose.check-number",
	"email": "page.compose.check-email", "own": "page.compose.check-own",
}

// FixedKind returns the platform's word for what a program has set.
func (v View) FixedKind(f ComposedField) string {
	if f.Fixed == "-" {
		return v.T("page.compose.fixed-approval")
	}
	return safetext.Isolate(f.Fixed)
}

// FixedBy returns the sentence about what a program has set.
func (v View) FixedBy(f ComposedField) string {
	return v.T("page.compose.fixed", "Kind", v.FixedKind(f), "ID", f.ID)
}

// AlsoSign returns the sentence about further signers of a recipient's role.
func (v View) AlsoSign(r ComposedRecipient) string {
	names := make([]string, len(r.AlsoSign))
	for i, name := range r.AlsoSign {
		names[i] = safetext.Isolate(name)
	}
	return v.T("page.compose.also-signs", "Names", v.printer.List(names...))
}
