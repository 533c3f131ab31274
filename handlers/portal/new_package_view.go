package portal

import (
	"cmp"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
	"countersign/templates"
)

// composedView returns a draft for its page, with words for the kinds of fields.
func composedView(d *compose.Draft, words compose.KindWords) templates.NewPackage {
	f := d.Form
	v := templates.NewPackage{ID: d.ID, Revision: f.Revision, Stale: d.Stale, Name: f.Name, InOrder: f.InOrder}
	for _, k := range compose.Kinds() {
		v.Kinds = append(v.Kinds, templates.ComposedKind{Name: k.Name, Word: words(k.Name), Width: k.Width, Height: k.Height})
	}
	for _, check := range compose.Checks() {
		v.Checks = append(v.Checks, check.Name)
	}
	for i, r := range f.Recipients {
		v.Recipients = append(v.Recipients, composedRecipient(i, len(f.Recipients), r))
	}
	for _, field := range f.Fields {
		v.Fields = append(v.Fields, composedField(field))
	}
	for i, document := range f.Documents {
		v.Documents = append(v.Documents, templates.ComposedDocument{
			Key: document.Key, ID: document.ID, Name: document.Name, First: i == 0, Last: i == len(f.Documents)-1, Unshown: document.Unshown, Pages: outlines(document, v.Fields),
		})
	}
	return v
}

func composedRecipient(i, count int, r compose.Recipient) templates.ComposedRecipient {
	return templates.ComposedRecipient{
		Key: r.Key, FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, ByEmail: r.ByEmail, BySMS: r.BySMS,
		Number: i + 1, First: i == 0, Last: i == count-1, Only: count == 1,
	}
}

func composedField(d compose.Field) templates.ComposedField {
	out := templates.ComposedField{
		Key: d.Key, Document: d.Document, Recipient: d.Recipient, Kind: d.Kind, Check: d.Check, Found: d.Found,
		Pattern: d.Pattern, Message: d.Message, MinLength: d.MinLength, MaxLength: d.MaxLength, Options: d.Options,
		Custom: d.Custom, Anchor: d.Anchor, Group: d.Group, Page: d.Page, Left: d.Left, Top: d.Top,
		Right: cmp.Or(d.Right, "0"), Down: cmp.Or(d.Down, "0"), Label: d.Label, Required: d.Required,
	}
	out.Width, out.Height = d.SizeTyped()
	_, out.X, out.Y = d.Place()
	out.W, out.H = d.Size()
	return out
}

// outlines returns the pages of a document, with the fields on each page.
func outlines(d compose.Document, fields []templates.ComposedField) []templates.ComposedPage {
	pages := make([]templates.ComposedPage, len(d.Pages))
	for i, page := range d.Pages {
		pages[i] = templates.ComposedPage{Key: d.Key, Document: d.Name, Number: i + 1, Width: page.Width, Height: page.Height}
		for _, f := range fields {
			if f.Document == d.Key && f.Page == strconv.Itoa(i+1) {
				pages[i].Fields = append(pages[i].Fields, f)
			}
		}
	}
	return pages
}

// customFields returns the account's custom fields as choices for fields, named in the
// reader's language. If the platform cannot list them, it logs the error and returns
// none.
func (p NewPackagePage) customFields(c *gin.Context, fields []templates.ComposedField) (all []templates.Choice) {
	if len(fields) == 0 {
		return nil
	}
	found, err := p.Service.Platform.CustomFields(c.Request.Context())
	if err != nil && !fault.Is(err, fault.SigningCustomFieldsOff) {
		request.LogCause(c, err)
	}
	for _, one := range found {
		all = append(all, templates.Choice{Value: one.ID, Name: customFieldName(one, request.From(c).Language)})
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
