package signing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/pdf"
)

// documentView is a document on the signing page.
type documentView struct {
	ID, Name, Link string
	Fields         []fieldView
	Rules          []fieldRule // the rules by which its fields change one another
	Pages          []outline
	Sign           bool
	Number, Count  int    // the index of the document, from 1, and the number of documents
	Next           string // the id of the next document, or ""
}

// fieldView is a field as a form control.
type fieldView struct {
	ID, Label, Control string
	Number             int // of all fields of the document, in reading order
	Value, Drawn       string
	Group, Format      string
	Opens, Closes      bool // a group of radio buttons begins, or ends, with this one
	Options            []string
	Required, Disabled bool
	Alert              *fieldAlert
	Rect               pdf.Rect
	page, says         int // says is the number beside an alert
}

// fieldAlert is the error of a field. The last radio button of a group shows it for all,
// with the number of the first.
type fieldAlert struct {
	Number int
	Text   string
	First  bool
}

// kinds are the word and the control of each subtype of fields.
var kinds = map[string]struct{ word, control string }{
	"TEXTFIELD": {"text", "text"}, "TEXTAREA": {"area", "area"}, "CHECKBOX": {"checkbox", "checkbox"}, "RADIO": {"choice", "radio"},
	"LIST": {"list", "list"}, "DATEPICKER": {"date", "text"}, "DATE": {"date", "shown"}, "LABEL": {"label", "shown"},
	"QRCODE": {"qrcode", "shown"}, "SEAL": {"seal", "shown"}, customFieldSubtype: {"custom", "text"},
	"FULLNAME": {"signature", "text"}, "INITIALS": {"initials", "text"}, "CHOOSE_SIGNATURE": {"signature", "text"}, "CHOOSE_INITIALS": {"initials", "text"},
	"CAPTURE": {"drawn", "drawing"}, "MOBILE_CAPTURE": {"drawn", "drawing"}, "CAPTURE_MOBILE": {"drawn", "drawing"}, "RAW_CAPTURE": {"drawn", "drawing"},
}

// fieldViews returns the fields that a role still has to sign in a document, in reading
// order.
func (s *Server) fieldViews(p *pkg, d document, who visitor) []fieldView {
	var views []fieldView
	for _, a := range d.Approvals {
		if !a.awaits(who.roleID) {
			continue
		}
		for _, f := range a.Fields {
			view := s.fieldView(p, f, who, a.isOptional())
			view.Required = view.Required && !a.isOptional()
			views = append(views, view)
		}
	}
	slices.SortStableFunc(views, func(a, b fieldView) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.Rect.Top, b.Rect.Top), cmp.Compare(a.Rect.Left, b.Rect.Left))
	})
	views = inGroups(views)
	for i := range views {
		v := &views[i]
		v.Number = i + 1
		v.says = v.Number
		if v.Control == "radio" && !v.Opens {
			v.says = views[i-1].says
		}
		if strings.HasSuffix(v.Label, " ") {
			v.Label += strconv.Itoa(v.Number)
		}
	}
	return views
}

// inGroups moves the radio buttons of a group behind the first of them.
func inGroups(views []fieldView) []fieldView {
	var grouped []fieldView
	seen := map[string]bool{}
	for _, v := range views {
		switch {
		case v.Control != "radio":
			grouped = append(grouped, v)
		case !seen[v.Group]:
			seen[v.Group] = true
			first := len(grouped)
			for _, one := range views {
				if one.Control == "radio" && one.Group == v.Group {
					grouped = append(grouped, one)
				}
			}
			grouped[first].Opens, grouped[len(grouped)-1].Closes = true, true
		}
	}
	return grouped
}

func (s *Server) fieldView(p *pkg, f field, who visitor, optional bool) fieldView {
	kind, rules, by := kinds[f.Subtype], f.rules(), p.signer(who.party)
	v := fieldView{
		ID: f.ID, Label: cmp.Or(f.Name, who.words[cmp.Or(kind.word, "field")]+" "), Control: cmp.Or(kind.control, "shown"), Value: or(f.Value),
		Options: rules.Enum, Required: rules.Required || f.Type == typeSignature, Disabled: f.disabled, Group: f.radioGroup(), Rect: f.rect(), page: f.Page,
	}
	switch {
	case f.Subtype == customFieldSubtype:
		v.Label = cmp.Or(s.fields.label(f.Name, by.Language, or(p.Language), who.language), v.Label)
		if value, ok := s.customValue(by, f.Name); ok && f.Value == nil {
			v.Value = value
		}
	case f.Type == typeSignature:
		if v.Control == "text" && !optional {
			v.Value = cmp.Or(v.Value, f.signatureOf(by))
		}
	case f.Subtype == "DATEPICKER":
		v.Format = rules.dateFormat()
	default:
		v.Value = cmp.Or(f.filled(by, s.now()), v.Value)
	}
	return v
}

// filled returns the platform's value of a field, or "" for any other field.
func (f field) filled(by signer, at time.Time) string {
	f.Value = nil
	f.fill(by, at)
	return or(f.Value)
}

// label returns a custom field's name in the first non-default language of languages for
// which it has one, else in the default one, or "" for an unknown field.
func (c *customFields) label(id string, languages ...string) string {
	label := ""
	_ = c.act(func(fields map[string]customField) { // without custom fields there is no label
		for _, wanted := range append(slices.DeleteFunc(languages, func(l string) bool { return l == defaultLanguage }), defaultLanguage) {
			for _, t := range fields[id].Translations {
				if label == "" && (strings.EqualFold(t.Language, wanted) || strings.EqualFold(t.Language, strings.SplitN(wanted, "-", 2)[0])) {
					label = t.Name
				}
			}
		}
	})
	return label
}
