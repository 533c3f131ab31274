package signing

import (
	"iter"
	"slices"
)

// How many documents, roles and fields a package has at most. The platform's consent and
// the role of the sender do not count.
const (
	MaxDocuments = 100
	MaxRoles     = 100
	MaxFields    = 2000
)

const roleSender = "SENDER"

// stock is the elements of a list that the package has already, by their ids: whether
// they count.
type stock map[string]bool

// adding reports whether given elements make a list longer than most. What is stored
// already never does. spared says which of them do not count.
func (s stock) adding(given iter.Seq[value], most int, spared func(object) bool) bool {
	stored, added := 0, 0
	for _, counts := range s {
		if counts {
			stored++
		}
	}
	for v := range given {
		if v.text.Kind() != '{' {
			continue
		}
		o, _ := v.object()
		if _, has := s[o.peek("id")]; !has && !spared(o) {
			added++
		}
	}
	return added > 0 && stored+added > most
}

// countRoles bounds the roles of the package with those given, which stand in list.
func (r *rules) countRoles(list value, given iter.Seq[value]) {
	stored := stock{}
	if r.Package != nil {
		for _, role := range r.Package.Roles {
			stored[role.ID] = role.Type != roleSender
		}
	}
	if stored.adding(given, MaxRoles, func(o object) bool { return o.peek("type") == roleSender }) {
		list.note("field.roles-most")
	}
}

// countDocuments bounds the documents of the package with those given, which stand in
// list.
func (r *rules) countDocuments(list value, given iter.Seq[value]) {
	stored := stock{}
	for _, document := range r.Package.documents() {
		stored[document.ID] = true
	}
	if stored.adding(given, MaxDocuments, func(o object) bool { return o.peek("id") == ConsentDocument }) {
		list.note("field.documents-most")
	}
}

// one is a sequence of v alone.
func one(v value) iter.Seq[value] { return slices.Values([]value{v}) }

// nothing is what a payload replaces that only adds.
func nothing(string, string) bool { return false }

// keepFields counts the fields that the package keeps: those of approvals that the
// payload does not replace.
func (r *rules) keepFields(replaced func(document, approval string) bool) {
	for _, document := range r.Package.documents() {
		for _, approval := range document.Approvals {
			r.storedFields += len(approval.Fields)
			if !replaced(document.ID, approval.ID) {
				r.allFields += len(approval.Fields)
			}
		}
	}
}

// countField counts one more field, which stands in list.
func (r *rules) countField(list value) {
	if r.allFields++; r.allFields > MaxFields && r.allFields > r.storedFields {
		list.note("field.fields-most")
	}
}
