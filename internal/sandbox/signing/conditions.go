package signing

import (
	"cmp"
	"slices"
	"strings"

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
