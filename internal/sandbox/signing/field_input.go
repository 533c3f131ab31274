package signing

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The prefixes of the signing page's control names.
const (
	valueControl = "value."
	drawnControl = "drawn."
	groupControl = "group."
)

// with returns a copy of the package with a signer's input to one of its documents, and
// that document without the approvals that the signer leaves out.
func (p *pkg) with(documentID string, form url.Values) (*pkg, document) {
	tried := p.clone()
	i := slices.IndexFunc(tried.Documents, func(d document) bool { return d.ID == documentID })
	d, entered := &tried.Documents[i], map[string]bool{}
	for _, a := range d.Approvals {
		entered[a.ID] = a.isEntered(form)
		for k := range a.Fields {
			if value, ok := a.Fields[k].entered(form); ok {
				a.Fields[k].Value = &value
			}
		}
	}
	tried.applyConditions()
	d.named = form.Has("document")
	d.Approvals = slices.DeleteFunc(d.Approvals, func(a approval) bool { return a.isDisabled() || a.isOptional() && !entered[a.ID] })
	return tried, *d
}

// isEntered reports whether a form changes a value of the approval's fields, or there is
// nothing to enter.
func (a approval) isEntered(form url.Values) bool {
	asked := false
	for _, f := range a.Fields {
		value, has := f.entered(form)
		if has && value != or(f.Value) && f.Subtype != customFieldSubtype {
			return true
		}
		asked = asked || has
	}
	return !asked
}

// entered returns a form's value for a field, or false if it has none.
func (f field) entered(form url.Values) (string, bool) {
	value, control := form.Get(valueControl+f.ID), kinds[f.Subtype].control
	switch {
	case control == "shown" || control == "":
		return "", false
	case control == "radio":
		if form.Get(groupControl+f.radioGroup()) == f.ID {
			return "X", true
		}
		return "", form.Has("action")
	case control == "drawing" && jsontext.Value(form.Get(drawnControl+f.ID)).Kind() == '[':
		return drawingPrefix + form.Get(drawnControl+f.ID), true
	case control == "drawing":
		return value, form.Has("document")
	case control == "checkbox":
		return value, form.Has("action")
	default:
		return value, form.Has(valueControl + f.ID)
	}
}

// entered returns the errors in the role's input to a document, as returned by with, by
// field ids; nil if there are none.
func (s *Server) entered(tried *pkg, d document, who visitor, form url.Values) map[string]string {
	by, found := tried.signer(who.party), map[string]string{}
	for _, a := range d.Approvals {
		if !a.awaits(who.roleID) {
			continue
		}
		for j := range a.Fields {
			s.setDerived(tried, &a.Fields[j], by, s.now())
			if key := a.Fields[j].unsigned(form); key != "" {
				found[a.Fields[j].ID] = who.words[key]
			}
		}
		maps.Copy(found, a.complaints(who.words))
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// unsigned returns the word key for a signature that a form leaves empty, or "" for any
// other field.
func (f field) unsigned(form url.Values) string {
	value, has := f.entered(form)
	switch {
	case f.Type != typeSignature || !has || strings.TrimSpace(value) != "":
		return ""
	case kinds[f.Subtype].control == "drawing":
		return "drawOrType"
	default:
		return "typeName"
	}
}

// alertPage shows the document again with the entered values and their errors.
func (s *Server) alertPage(p *pkg, d document, who visitor, alerts map[string]string, form url.Values) page {
	view := s.signPage(p, who, url.Values{"document": {d.ID}})
	view.status, view.Alerts = http.StatusUnprocessableEntity, true
	if view.Consent != nil || view.Document == nil {
		view.Consent, view.Document = nil, s.documentView(p, who, d.ID)
	}
	first, groups := true, map[string]string{}
	for _, f := range view.Document.Fields {
		if f.Control == "radio" && alerts[f.ID] != "" {
			groups[f.Group] = alerts[f.ID]
		}
	}
	view.Document.refill(form)
	for i := range view.Document.Fields {
		f := &view.Document.Fields[i]
		text := alerts[f.ID]
		if f.Control == "radio" {
			text = groups[f.Group]
		}
		if text != "" {
			f.Alert, first = &fieldAlert{Number: f.says, Text: text, First: first}, false
		}
	}
	return view
}

// refill puts the entered values into the fields again.
func (v *documentView) refill(form url.Values) {
	for i := range v.Fields {
		v.Fields[i].refill(form)
	}
}

func (v *fieldView) refill(form url.Values) {
	switch v.Control {
	case "shown":
	case "radio":
		v.Value = ""
		if form.Get(groupControl+v.Group) == v.ID {
			v.Value = "X"
		}
	default:
		v.Value, v.Drawn = form.Get(valueControl+v.ID), form.Get(drawnControl+v.ID)
	}
}

// decline ends the package for everybody.
func (s *Server) decline(r *http.Request, a access, reason string) error {
	_, err := s.change(r, func(p *pkg) error {
		if err := p.mayBeSigned(a.roleID); err != nil {
			return err
		}
		from := struct {
			ID string `json:"id"`
		}{a.roleID}
		text, err := json.Marshal(from)
		if err != nil {
			return err
		}
		return p.move(declined, []message{{From: text, Content: reason}}, s.now())
	})
	return err
}
