package signing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (s *Server) fieldRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getFieldSummary", Method: get, Path: packagePath + "/fieldSummary", Call: s.ofPackage(s.getFieldSummary)},
		{Operation: "createField", Method: post, Path: approvalPath + "/fields", Call: withBody(s.createField)},
		{Operation: "getField", Method: get, Path: fieldPath, Call: s.ofDocument(s.getField)},
		{Operation: "updateField", Method: put, Path: fieldPath, Call: withBody(s.updateField)},
		{Operation: "updateField", Method: post, Path: fieldPath, Call: withBody(s.updateField)},
		{Operation: "deleteField", Method: del, Path: fieldPath, Call: s.deleteField},
		{Operation: "updateConditionalField", Method: put, Path: fieldPath + "/conditionalFields", Call: withBody(s.updateConditionalField)},
	}
}

// createField adds a field to a draft's approval.
func (s *Server) createField(r *http.Request, in field) (any, error) {
	in.ID = cmp.Or(in.ID, uuid.NewString())
	a, err := s.changeApproval(r, func(a *approval) error {
		a.Fields = append(a.Fields, in)
		return nil
	})
	if err != nil || in.acceptance {
		return in, err
	}
	return a.field(in.ID)
}

func (s *Server) getField(r *http.Request, _ *pkg, d *document) (any, error) {
	a, err := d.approval(r.PathValue("approval"))
	if err != nil {
		return nil, err
	}
	return a.field(r.PathValue("field"))
}

// updateField changes the members in the body, except an id and conditions.
func (s *Server) updateField(r *http.Request, body jsontext.Value) (any, error) {
	return s.changeField(r, func(_ *pkg, _ *document, f *field) error {
		conditions := f.Conditions
		err := decode(body, f)
		f.Conditions, f.Validation = conditions, withRequired(f.Validation)
		return err
	})
}

// conditionalField is a field with the conditions that name it.
type conditionalField struct {
	Conditions []condition    `json:"conditions"`
	Rest       jsontext.Value `json:",embed"`
}

// updateConditionalField changes a field, and replaces the conditions that name it.
func (s *Server) updateConditionalField(r *http.Request, in conditionalField) (any, error) {
	in.Conditions = list(withIDs(in.Conditions))
	return s.changeField(r, func(p *pkg, d *document, f *field) error {
		p.replaceConditions(fieldExpression(d.ID, f.ID), in.Conditions)
		if len(in.Rest) > 0 {
			if err := decode(in.Rest, f); err != nil {
				return err
			}
		}
		f.Conditions = in.Conditions
		return nil
	})
}

// changeField lets act change the path's field, except its id, and returns it.
func (s *Server) changeField(r *http.Request, act func(*pkg, *document, *field) error) (changed field, err error) {
	_, err = s.changeDocument(r, func(p *pkg, d *document) error {
		a, err := d.approval(r.PathValue("approval"))
		if err != nil {
			return err
		}
		f, err := a.field(r.PathValue("field"))
		if err != nil {
			return err
		}
		id := f.ID
		err = act(p, d, f)
		f.ID = id
		changed = *f
		return err
	})
	return changed, err
}

func (s *Server) deleteField(r *http.Request) (any, error) {
	return empty(s.changeApproval(r, func(a *approval) error {
		gone, err := a.field(r.PathValue("field"))
		if err == nil {
			id := gone.ID
			a.Fields = slices.DeleteFunc(a.Fields, func(f field) bool { return f.ID == id })
		}
		return err
	}))
}

// fieldValue is a line of the summary of a package's fields.
type fieldValue struct {
	SignerID   string `json:"signerId"`
	DocumentID string `json:"documentId"`
	FieldID    string `json:"fieldId"`
	FieldName  string `json:"fieldName"`
	FieldValue string `json:"fieldValue"`
}

// getFieldSummary answers with the fields that have a value.
func (s *Server) getFieldSummary(_ *http.Request, p *pkg) (any, error) {
	summary := []fieldValue{}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			for _, f := range a.Fields {
				if or(f.Value) != "" {
					summary = append(summary, fieldValue{p.signedFor(a.Role, d.ID).ID, d.ID, f.ID, f.Name, *f.Value})
				}
			}
		}
	}
	return summary, nil
}
