package signing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (s *Server) fieldRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getFieldSummary", Method: get, Path: packagePath + "/fieldSummary", Call: s.ofPackage(s.getFieldSummary)},
		{Operation: "createField", Method: post, Path: approvalPath + "/fields", Call: s.createField},
		{Operation: "getField", Method: get, Path: fieldPath, Call: s.getField},
		{Operation: "updateField", Method: put, Path: fieldPath, Call: s.updateField},
		{Operation: "updateField", Method: post, Path: fieldPath, Call: s.updateField},
		{Operation: "deleteField", Method: del, Path: fieldPath, Call: s.deleteField},
	}
}

// createField adds a field to a draft's approval.
func (s *Server) createField(r *http.Request) (any, error) {
	in, err := read[field](r)
	if err != nil {
		return nil, err
	}
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

func (s *Server) getField(r *http.Request) (any, error) {
	_, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	a, err := d.approval(r.PathValue("approval"))
	if err != nil {
		return nil, err
	}
	return a.field(r.PathValue("field"))
}

// updateField changes the members in the body, except an id.
func (s *Server) updateField(r *http.Request) (any, error) {
	body, err := wire.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	var changed field
	_, err = s.changeApproval(r, func(a *approval) error {
		i, err := a.fieldIndex(r.PathValue("field"))
		if err != nil {
			return err
		}
		f := &a.Fields[i]
		id, conditions := f.ID, f.Conditions
		err = decode(body, f)
		f.ID, f.Conditions, f.Validation = id, conditions, withRequired(f.Validation)
		changed = *f
		return err
	})
	return changed, err
}

func (s *Server) deleteField(r *http.Request) (any, error) {
	_, err := s.changeApproval(r, func(a *approval) error {
		i, err := a.fieldIndex(r.PathValue("field"))
		if err == nil {
			a.Fields = slices.Delete(a.Fields, i, i+1)
		}
		return err
	})
	return wire.Empty{}, err
}

func (a approval) field(id string) (field, error) {
	i, err := a.fieldIndex(id)
	if err != nil {
		return field{}, err
	}
	return a.Fields[i], nil
}

func (a approval) fieldIndex(id string) (int, error) {
	i := slices.IndexFunc(a.Fields, func(f field) bool { return f.ID == id })
	if i < 0 {
		return 0, unknown("field")
	}
	return i, nil
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
