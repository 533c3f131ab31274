package signing

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// condition changes a field depending on the value of another, in expressions that name
// fields as document['id'].field['id'].
type condition struct {
	ID        string `json:"id"`
	Condition string `json:"condition"`
	Action    string `json:"action"`
}

// fieldExpression returns a field's name in conditions and actions.
func fieldExpression(documentID, fieldID string) string {
	return "document['" + documentID + "'].field['" + fieldID + "']"
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

// replaceConditions replaces the conditions that have the same ids or name the field by
// the given ones.
func (p *pkg) replaceConditions(field string, given []condition) {
	p.Conditions = slices.DeleteFunc(p.Conditions, func(c condition) bool {
		again := slices.ContainsFunc(given, func(one condition) bool { return one.ID != "" && one.ID == c.ID })
		return again || strings.Contains(c.Condition, field) || strings.Contains(c.Action, field)
	})
	p.Conditions = list(append(p.Conditions, given...))
}

// withIDs returns the conditions with an id each.
func withIDs(conditions []condition) []condition {
	for i := range conditions {
		conditions[i].ID = cmp.Or(conditions[i].ID, uuid.NewString())
	}
	return conditions
}
