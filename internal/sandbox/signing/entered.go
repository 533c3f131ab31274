package signing

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the controls of the signing page begin with what they hold.
const (
	valueControl = "value."
	drawnControl = "drawn."
	groupControl = "group."
)

// with is a copy of the document with the values that a signer has entered, without
// the optional approvals for which they have entered nothing.
func (d document) with(form url.Values) document {
	approvals := d.Approvals
	d.Approvals = nil
	for _, a := range approvals {
		if a.Optional && !a.isEntered(form) {
			continue
		}
		fields := a.Fields
		a.Fields = nil
		for _, f := range fields {
			if value, ok := f.entered(form); ok {
				f.Value = &value
			}
			a.Fields = append(a.Fields, f)
		}
		d.Approvals = append(d.Approvals, a)
	}
	return d
}

// isEntered reports whether a form has a value for one of the approval's fields, or
// there is nothing to enter.
func (a approval) isEntered(form url.Values) bool {
	asked := false
	for _, f := range a.Fields {
		value, has := f.entered(form)
		if value != "" {
			return true
		}
		asked = asked || has
	}
	return !asked
}

// entered is the value that a form has for a field; false where it has none.
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
	case control == "checkbox":
		return value, form.Has("action")
	default:
		return value, form.Has(valueControl + f.ID)
	}
}

// entered is what is wrong with the values that the role has entered in a
// document, by the fields' ids; nil if nothing is.
func (s *Server) entered(p *pkg, d document, who party, form url.Values) map[string]string {
	tried := p.clone()
	i, err := tried.documentIndex(d.ID)
	if err != nil {
		return nil
	}
	tried.Documents[i] = d.with(form)
	by, found := tried.signer(who), map[string]string{}
	for _, a := range tried.Documents[i].Approvals {
		if !a.awaits(who.roleID) || a.Optional && !a.isEntered(form) {
			continue
		}
		for j := range a.Fields {
			s.settle(tried, &a.Fields[j], by, s.now())
			if f := a.Fields[j]; kinds[f.Subtype].control == "drawing" && or(f.Value) == "" && form.Has("document") {
				found[f.ID] = "Draw your signature, or type your name."
			}
		}
		maps.Copy(found, a.complaints())
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// alertPage shows the document again with what was entered, and what is wrong with
// it.
func (s *Server) alertPage(p *pkg, d document, who party, alerts map[string]string, form url.Values) page {
	view := s.signPage(p, who, url.Values{"document": {d.ID}})
	view.status, view.Alerts = http.StatusUnprocessableEntity, true
	if view.Consent != nil || view.Document == nil {
		view.Consent, view.Document = nil, s.documentView(p, who, d.ID)
	}
	values := map[string]string{}
	for _, a := range d.with(form).Approvals {
		for _, f := range a.Fields {
			values[f.ID] = or(f.Value)
		}
	}
	said, first := map[string]int{}, true
	for i := range view.Document.Fields {
		f := &view.Document.Fields[i]
		if f.Control != "shown" {
			f.Value = values[f.ID]
		}
		if _, drawn := parseDrawing(f.Value); drawn {
			f.Value, f.Drawn = "", form.Get(drawnControl+f.ID)
		}
		if text, ok := alerts[f.ID]; ok {
			f.Alert, first = &fieldAlert{Number: f.Number, Text: text, First: first}, false
			if by := said[f.Group]; f.Control == "radio" && by > 0 {
				f.Alert.Number, f.Alert.Text = by, ""
			} else if f.Control == "radio" {
				said[f.Group] = f.Number
			}
		}
	}
	return view
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
