package signing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/pdf"
)

// documentView is a document on the signing page.
type documentView struct {
	ID, Name, Link, Viewer string
	Fields                 []fieldView
	Pages                  []outline
	Sign                   bool
	Next                   string // the id of the next document; "" is none
}

// fieldView is a field as a form control.
type fieldView struct {
	ID, Label, Control string
	Number             int // of all fields of the document, in reading order
	Value, Drawn       string
	Group, Format      string
	Options            []string
	Required           bool
	Alert              *fieldAlert
	Rect               pdf.Rect
	page               int
}

// fieldAlert says what is wrong with a field. Of the radio buttons of a group the
// first says it for all, under its number.
type fieldAlert struct {
	Number int
	Text   string // "" where another button says it
	First  bool
}

// outline is a page with the places of its fields.
type outline struct {
	Number        int // from 1
	Width, Height float64
	Fields        []fieldView
}

// kinds are how subtypes of inputs are called, and which control each has.
var kinds = map[string]struct{ word, control string }{
	"TEXTFIELD": {"Text", "text"}, "TEXTAREA": {"Text area", "area"}, "CHECKBOX": {"Checkbox", "checkbox"},
	"RADIO": {"Choice", "radio"}, "LIST": {"List", "list"}, "DATEPICKER": {"Date", "text"}, "DATE": {"Date", "shown"},
	"LABEL": {"Label", "shown"}, "QRCODE": {"QR code", "shown"}, "SEAL": {"Seal", "shown"}, customFieldSubtype: {"Custom field", "text"},
	"FULLNAME": {"Signature", "shown"}, "INITIALS": {"Initials", "shown"}, "CHOOSE_SIGNATURE": {"Signature", "text"}, "CHOOSE_INITIALS": {"Initials", "text"},
	"CAPTURE": {"Drawn signature", "drawing"}, "MOBILE_CAPTURE": {"Drawn signature", "drawing"}, "CAPTURE_MOBILE": {"Drawn signature", "drawing"},
	"RAW_CAPTURE": {"Drawn signature", "drawing"},
}

// fieldViews are the fields that a role still has to sign in a document, in
// reading order.
func (s *Server) fieldViews(p *pkg, d document, who party) []fieldView {
	by := p.signer(who)
	var views []fieldView
	for _, a := range d.Approvals {
		if !a.awaits(who.roleID) {
			continue
		}
		for _, f := range a.Fields {
			view := s.fieldView(p, f, by)
			view.Required = view.Required && !a.Optional
			views = append(views, view)
		}
	}
	slices.SortStableFunc(views, func(a, b fieldView) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.Rect.Top, b.Rect.Top), cmp.Compare(a.Rect.Left, b.Rect.Left))
	})
	for i := range views {
		v := &views[i]
		v.Number = i + 1
		if v.Label == "" {
			v.Label = strconv.Itoa(v.Number)
		} else if strings.HasSuffix(v.Label, " ") {
			v.Label += strconv.Itoa(v.Number)
		}
	}
	return views
}

func (s *Server) fieldView(p *pkg, f field, by signer) fieldView {
	kind, rules := kinds[f.Subtype], f.rules()
	v := fieldView{
		ID: f.ID, Label: cmp.Or(f.Name, kind.word+" "), Control: cmp.Or(kind.control, "shown"), Value: or(f.Value),
		Options: rules.Enum, Required: rules.Required, Group: f.radioGroup(), Rect: f.rect(), page: f.Page,
	}
	switch {
	case f.Subtype == customFieldSubtype:
		v.Label = cmp.Or(s.fields.label(f.Name, or(p.Language)), v.Label)
		if value, ok := s.customValue(by, f.Name); ok && f.Value == nil {
			v.Value = value
		}
	case f.Subtype == "FULLNAME", f.Subtype == "CHOOSE_SIGNATURE":
		v.Value = cmp.Or(v.Value, by.Name)
	case f.Subtype == "INITIALS", f.Subtype == "CHOOSE_INITIALS":
		v.Value = cmp.Or(v.Value, by.initials())
	case v.Control == "drawing":
		v.Required = true
	case f.Binding != nil && *f.Binding != "":
		v.Value = bound(*f.Binding, by, s.now())
	case f.Subtype == "DATEPICKER":
		v.Format = cmp.Or(rules.Pattern, "YYYY-MM-dd")
	}
	return v
}

// outlines are the pages that have fields.
func (d document) outlines(fields []fieldView) []outline {
	var pages []outline
	for _, f := range fields {
		if n := len(pages); n > 0 && pages[n-1].Number == f.page+1 {
			pages[n-1].Fields = append(pages[n-1].Fields, f)
			continue
		}
		one := outline{Number: f.page + 1, Width: 612, Height: 792, Fields: []fieldView{f}} // US letter, where nothing is known
		if f.page >= 0 && f.page < len(d.Pages) {
			one.Width, one.Height = d.Pages[f.page].Width, d.Pages[f.page].Height
		}
		pages = append(pages, one)
	}
	return pages
}

// label is a custom field's name in a language, else in English; "" where there is
// no such field.
func (c *customFields) label(id, language string) string {
	label := ""
	_ = c.act(func(fields map[string]customField) { // Without custom fields there is no label.
		for _, wanted := range []string{language, strings.SplitN(language, "-", 2)[0], "en"} {
			for _, t := range fields[id].Translations {
				if label == "" && strings.EqualFold(t.Language, wanted) {
					label = t.Name
				}
			}
		}
	})
	return label
}
