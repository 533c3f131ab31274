package portal

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
)

// editorOf returns a draft for its page, with words for the kinds of fields, and the account's
// custom fields.
func editorOf(d *compose.Draft, words compose.KindWords, custom []choice) editorView {
	f := d.Form
	v := editorView{ID: d.ID, Revision: cmp.Or(d.Shown, d.Version()), StoredBy: f.Page, Name: f.Title(), InOrder: f.InOrder, CustomFields: custom}
	if d.Shown != "" {
		v.Newer = d.Version()
	}
	for _, k := range compose.Kinds() {
		v.Kinds = append(v.Kinds, kindPart{k, kindIDs[k.Name], words(k.Name)})
	}
	for _, check := range compose.Checks() {
		v.Checks = append(v.Checks, label{check.Name, checkIDs[check.Name]})
	}
	for _, shown := range compose.Shows() {
		v.Shows = append(v.Shows, label{shown.Name, shownIDs[shown.Name]})
	}
	for _, place := range compose.Placements() {
		v.Placements = append(v.Placements, label{place, placementIDs[place]})
	}
	for i, r := range f.Recipients {
		recipient := recipientPart{Recipient: r, Number: i + 1, First: i == 0, Last: i == len(f.Recipients)-1, Only: len(f.Recipients) == 1}
		for _, signer := range d.AlsoSign(r) {
			recipient.Also = append(recipient.Also, cmp.Or(signer.Name(), signer.Email))
		}
		v.Recipients = append(v.Recipients, recipient)
	}
	for _, field := range f.Fields {
		v.Fields = append(v.Fields, v.field(field))
	}
	for i, document := range f.Documents {
		v.Documents = append(v.Documents, documentPart{
			Document: document, First: i == 0, Last: i == len(f.Documents)-1, Pages: v.pages(document, len(f.Documents) > 1),
		})
	}
	if len(f.Documents) > 0 {
		blank := v.field(f.Blank(blankKey))
		v.Blank = &blank
	}
	return v
}

// blankKey is the key of the field that scripts copy for a new one.
const blankKey = "f0"

// field returns a field for the page, whose recipients are there already.
func (e editorView) field(d compose.Field) fieldPart {
	f := fieldPart{Field: d}
	f.Right, f.Down = cmp.Or(d.Right, "0"), cmp.Or(d.Down, "0")
	f.Title, f.Shows = cmp.Or(d.Title, d.Found), cmp.Or(d.Shows, compose.Shows()[0].Name)
	f.Hit, f.Place = cmp.Or(d.Hit, "1"), cmp.Or(d.Place, compose.Placements()[0])
	f.ID = cmp.Or(d.Approval, d.ID)
	f.Width, f.Height = d.SizeTyped()
	f.W, f.H = d.Size()
	var page int
	if page, f.X, f.Y, f.Placed = d.Position(); f.Placed {
		f.Sheet = page + 1
	}
	if i := slices.IndexFunc(e.Recipients, func(r recipientPart) bool { return r.Key == d.Recipient }); i >= 0 {
		f.Colour = e.Recipients[i].Colour()
	}
	custom := slices.IndexFunc(e.CustomFields, func(c choice) bool { return d.Kind == customKind && c.Value == d.Custom })
	switch {
	case f.Fixed != "":
		f.ShownName = cmp.Or(f.Label, f.ID)
	case f.Title != "":
		f.ShownName = f.Title
	case custom >= 0:
		f.ShownName = e.CustomFields[custom].Name
	default:
		f.ShownName = f.Label
	}
	return f
}

// pages returns the pages of a document, with the fields on each page; among says that there
// are several documents.
func (e editorView) pages(d compose.Document, among bool) []pagePart {
	pages := make([]pagePart, len(d.Pages))
	for i, page := range d.Pages {
		pages[i] = pagePart{
			Key: d.Key, Document: compose.Stem(d.Name), Number: i + 1, Width: page.Width, Height: page.Height, Among: among,
			Path: strings.Join([]string{packagePath(e.ID), "documents", url.PathEscape(d.ID), "pages", strconv.Itoa(i + 1)}, "/"),
		}
		for _, f := range e.Fields {
			if f.Document == d.Key && f.Sheet == i+1 {
				pages[i].Fields = append(pages[i].Fields, f)
			}
		}
	}
	return pages
}

// customFields returns the account's custom fields as choices for fields, named in the
// reader's language. If the platform cannot list them, it logs the error and returns
// none.
func (p newPackagePage) customFields(c *gin.Context, documents []compose.Document) (all []choice) {
	if len(documents) == 0 {
		return nil
	}
	found, err := p.Service.Platform.CustomFields(c.Request.Context())
	if err != nil && !fault.Is(err, fault.SigningCustomFieldsOff) {
		request.LogCause(c, err)
	}
	for _, one := range found {
		all = append(all, choice{Value: one.ID, Name: customFieldName(one, request.From(c).Language)})
	}
	return all
}

// customFieldName returns the name of a custom field in a language, else in English, else
// its id.
func customFieldName(f signing.CustomField, language string) string {
	names := map[string]string{}
	for _, t := range f.Translations {
		names[cmp.Or(t.Language, "en")] = t.Name
	}
	return cmp.Or(names[language], names["en"], f.ID)
}
