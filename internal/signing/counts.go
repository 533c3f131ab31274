package signing

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// Limits are the account's limits of documents at the platform. Zero sets no limit.
type Limits struct {
	// MaxDocuments is the most documents of a package, not counting the platform's consent.
	MaxDocuments int
	// MaxDocumentSize is the most bytes of a document's file.
	MaxDocumentSize int64
}

// TooMany reports whether a package may not have so many documents.
func (l Limits) TooMany(documents int) bool { return l.MaxDocuments > 0 && documents > l.MaxDocuments }

// TooLarge reports whether a document's file may not have so many bytes.
func (l Limits) TooLarge(size int64) bool { return l.MaxDocumentSize > 0 && size > l.MaxDocumentSize }

// The message ids of what exceeds Limits.
const (
	TooManyDocuments = "field.documents-most"
	TooLargeDocument = "field.document-size"
)

// The most roles, approvals, fields, conditions and files asked for that a package may have, not
// counting the role of the sender.
const (
	maxRoles      = 100
	maxApprovals  = 2000
	maxFields     = 2000
	maxConditions = 1000
	maxAsked      = 1000
)

// storedElements maps the ids of a list's stored elements to whether they count towards
// its limit.
type storedElements map[string]bool

// exceeds reports whether the given elements lengthen the list beyond most. Elements that
// are stored already never do; exempt reports which of the others do not count.
func (s storedElements) exceeds(given iter.Seq[payload.Value], most int, exempt func(payload.Object) bool) bool {
	stored, added := 0, 0
	for _, counts := range s {
		if counts {
			stored++
		}
	}
	for v := range given {
		if v.Kind() != '{' {
			continue
		}
		o, _ := v.Object()
		if _, has := s[o.StringOrEmpty("id")]; !has && !exempt(o) {
			added++
		}
	}
	return added > 0 && stored+added > most
}

// countRoles limits the package's roles including those given; list is where a violation
// is noted.
func (r *rules) countRoles(list payload.Value, given iter.Seq[payload.Value]) {
	stored := storedElements{}
	if r.Package != nil {
		for _, role := range r.Package.Roles {
			stored[role.ID] = role.Type != RoleSender
		}
	}
	if stored.exceeds(given, maxRoles, func(o payload.Object) bool { return o.StringOrEmpty("type") == RoleSender }) {
		list.Note("field.roles-most")
	}
}

// countAsked limits the files that all roles of the package ask for, including those given. A
// violation is noted at the list that exceeds the limit.
func (r *rules) countAsked(given []payload.Object) {
	stored, all := 0, 0
	if r.Package != nil {
		for _, role := range r.Package.Roles {
			stored += len(role.Files)
		}
	}
	for _, role := range r.remaining(given) {
		all += len(role.Files)
	}
	for _, o := range given {
		if !o.Has("attachmentRequirements") {
			all += len(r.storedRole(r.roleNamed(o)).Files)
		}
	}
	for _, o := range given {
		for range o.Elements("attachmentRequirements") {
			if all++; all > maxAsked && all > stored {
				r.payload.over = true
				o.Note("attachmentRequirements", "field.asked-most")
				return
			}
		}
	}
}

// countDocuments limits the package's documents including those given; list is where a
// violation is noted.
func (r *rules) countDocuments(list payload.Value, given iter.Seq[payload.Value]) {
	stored := storedElements{}
	for _, document := range r.Package.documents() {
		stored[document.ID] = document.ID != ConsentDocument
	}
	most := r.MaxDocuments
	if most > 0 && stored.exceeds(given, most, func(o payload.Object) bool { return o.StringOrEmpty("id") == ConsentDocument }) {
		list.Note(TooManyDocuments)
	}
}

// one returns a sequence of v alone.
func one(v payload.Value) iter.Seq[payload.Value] { return slices.Values([]payload.Value{v}) }

// replacesNothing is the `replaced` of keepFields for a payload that only adds.
func replacesNothing(string, string) bool { return false }

// keepFields counts the stored approvals and fields, and those of them that the payload does
// not replace.
func (r *rules) keepFields(replaced func(document, approval string) bool) {
	for _, document := range r.Package.documents() {
		for _, approval := range document.Approvals {
			r.storedApprovals++
			r.storedFields += len(approval.Fields)
			if !replaced(document.ID, approval.ID) {
				r.allApprovals++
				r.allFields += len(approval.Fields)
			}
		}
	}
}

// countApproval counts one more approval; a violation is noted at its list.
func (r *rules) countApproval(approval payload.Value) {
	if r.allApprovals++; r.allApprovals > maxApprovals && r.allApprovals > r.storedApprovals {
		r.Note(string(jsontext.Pointer(approval.Pointer()).Parent()), "field.approvals-most")
	}
}

// countConditions limits the package's conditions with those of a field that is changed.
func (r *rules) countConditions(field payload.Object) {
	stored := storedElements{}
	for _, condition := range r.Package.conditions() {
		stored[condition.ID] = true
	}
	if stored.exceeds(field.Elements("conditions"), maxConditions, func(payload.Object) bool { return false }) {
		field.Note("conditions", "field.conditions-most")
	}
}

// countField counts one more field; list is where a violation is noted.
func (r *rules) countField(list payload.Value) {
	if r.allFields++; r.allFields > maxFields && r.allFields > r.storedFields {
		list.Note("field.fields-most")
	}
}
