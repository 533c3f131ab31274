package portal

import (
	"cmp"

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
	v := templates.NewPackage{ID: d.ID, Revision: cmp.Or(d.Shown, d.Version()), StoredBy: f.Page, Name: f.Title(), InOrder: f.InOrder}
	if d.Shown != "" {
		v.Newer = d.Version()
	}
	for _, k := range compose.Kinds() {
		v.Kinds = append(v.Kinds, templates.ComposedKind{Name: k.Name, Word: words(k.Name), Width: k.Width, Height: k.Height, Everywhere: k.Everywhere()})
	}
	for _, check := range compose.Checks() {
		v.Checks = append(v.Checks, check.Name)
	}
	for _, shown := range compose.Shows() {
		v.Shows = append(v.Shows, shown.Name)
	}
	v.Placements = compose.Placements()
	for i, r := range f.Recipients {
		recipient := composedRecipient(i, len(f.Recipients), r)
		for _, signer := range d.AlsoSign(r) {
			recipient.AlsoSign = append(recipient.AlsoSign, cmp.Or(signer.Name(), signer.Email))
		}
		v.Recipients = append(v.Recipients, recipient)
	}
	for _, field := range f.Fields {
		v.Fields = append(v.Fields, composedField(field))
	}
	for i, document := range f.Documents {
		v.Documents = append(v.Documents, templates.ComposedDocument{
			Key: document.Key, ID: document.ID, Name: document.Name, Size: document.Size, First: i == 0, Last: i == len(f.Documents)-1,
			Unshown: document.Unshown, Signed: document.Signed, Pages: composedPages(document, v.Fields),
		})
	}
	if len(f.Documents) > 0 {
		blank := composedField(f.Blank(blankKey))
		v.Blank = &blank
	}
	return v
}

// blankKey is the key of the field that scripts copy for a new one.
const blankKey = "f0"

func composedRecipient(i, count int, r compose.Recipient) templates.ComposedRecipient {
	return templates.ComposedRecipient{
		Key: r.Key, FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, Phone: r.Phone, ByEmail: r.ByEmail, BySMS: r.BySMS,
		FileName: r.Request.Name, FileAbout: r.Request.About, FileRequired: r.Request.Required,
		Message: r.Message, Reassign: r.Reassign,
		AskPasskey: r.AskPasskey, AskIdentity: r.AskIdentity,
		Number: i + 1, First: i == 0, Last: i == count-1, Only: count == 1,
	}
}

func composedField(d compose.Field) templates.ComposedField {
	out := templates.ComposedField{
		Key: d.Key, Document: d.Document, Recipient: d.Recipient, Kind: d.Kind, Check: d.Check, Found: d.Found,
		Pattern: d.Pattern, Message: d.Message, MinLength: d.MinLength, MaxLength: d.MaxLength, Options: d.Options,
		Custom: d.Custom, Anchor: d.Anchor, Group: d.Group, Page: d.Page, Left: d.Left, Top: d.Top,
		Right: cmp.Or(d.Right, "0"), Down: cmp.Or(d.Down, "0"), Label: d.Label, Required: d.Required,
		Title: cmp.Or(d.Title, d.Found), Shows: cmp.Or(d.Shows, compose.Shows()[0].Name),
		Hit: cmp.Or(d.Hit, "1"), Place: cmp.Or(d.Place, compose.Placements()[0]),
	}
	out.Fixed, out.ID = d.Fixed, cmp.Or(d.Approval, d.ID)
	out.Width, out.Height = d.SizeTyped()
	out.W, out.H = d.Size()
	var page int
	if page, out.X, out.Y, out.Placed = d.Position(); out.Placed {
		out.Sheet = page + 1
	}
	return out
}

// composedPages returns the pages of a document, with the fields on each page.
func composedPages(d compose.Document, fields []templates.ComposedField) []templates.ComposedPage {
	pages := make([]templates.ComposedPage, len(d.Pages))
	for i, page := range d.Pages {
		pages[i] = templates.ComposedPage{
			Key: d.Key, ID: d.ID, Document: compose.Stem(d.Name), Number: i + 1, Width: page.Width, Height: page.Height,
		}
		for _, f := range fields {
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
func (p newPackagePage) customFields(c *gin.Context, documents []templates.ComposedDocument) (all []templates.Choice) {
	if len(documents) == 0 {
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
