package compose

import (
	"bytes"
	"github.com/go-json-experiment/json"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// arrangement is what a document's approvals become: those of the platform with what
// changed of them, and new ones.
type arrangement struct {
	approvals []approvalLayout
	// changed says that the platform has others, placed that the place of a field is to be
	// found in the file.
	changed, placed bool
}

// approvalLayout is an approval: a new one has no members.
type approvalLayout struct {
	role    string
	members map[string]jsontext.Value
	fields  []fieldLayout
}

// fieldLayout is a field; changed says that the platform has another one or none. key is the
// form's; "" for one that stands in no form.
type fieldLayout struct {
	key     string
	typed   signing.Field
	value   jsontext.Value
	changed bool
	custom  bool
}

// signs reports whether one of the fields is a signature.
func (a approvalLayout) signs() bool {
	return slices.ContainsFunc(a.fields, func(f fieldLayout) bool { return f.typed.Type == signature })
}

// before returns a field as the form showed it of what the platform has; ok is false for a
// new one.
func (f *Form) before(d Field) (was Field, at originField, role string, ok bool) {
	at, role, ok = f.at.field(d.From, d.ID)
	if !ok {
		return was, at, "", false
	}
	was = fieldOf(d.Key, at.Field, Field{Document: d.Document})
	was.shrink(f.scaleOf(d.From))
	return was, at, role, true
}

// scaleOf returns the scale of the document with that id.
func (f *Form) scaleOf(id string) float64 {
	i := slices.IndexFunc(f.Documents, func(d Document) bool { return d.ID == id })
	if i < 0 {
		return 1
	}
	return f.Documents[i].scale()
}

// untouched reports whether the form shows the field as the platform has it.
func (f *Form) untouched(d Field) bool {
	if d.Fixed != "" {
		return true
	}
	was, at, role, ok := f.before(d)
	i, document := f.recipientAt(d.Recipient), f.documentAt(d.Document)
	if !ok || i < 0 || document < 0 || f.Recipients[i].roleID() != role || f.Documents[document].ID != d.From {
		return false
	}
	scale := f.Documents[document].scale()
	return bytes.Equal(encoded(was.draftOver(at.Field, scale)), encoded(d.draftOver(at.Field, scale)))
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is one of our own types
	}
	return text
}

// arrangedOf returns a field of the form as it is written in a document with that scale.
func (f *Form) arrangedOf(d Field, scale float64) (out fieldLayout, placed bool) {
	out = fieldLayout{key: d.Key, typed: d.draft(scale), changed: true, custom: d.Kind == customKind}
	placed = out.typed.Extract || out.typed.Anchor != nil
	was, at, _, ok := f.before(d)
	switch {
	case !ok:
		out.value = encoded(out.typed)
	case d.Fixed != "":
		out.typed, out.value, out.changed, placed = at.Field, at.members, false, false
	case f.untouched(d):
		out.value, out.changed, placed = at.members, false, false
	default:
		var replaced bool
		out.typed = d.draftOver(at.Field, scale)
		out.value, replaced = changedField(at, was.draftOver(at.Field, f.scaleOf(d.From)), out.typed)
		placed = placed && replaced
	}
	return out, placed
}

// arrange returns what the approvals of a document become; added says that recipients without
// any field sign at its end, also those that a program has given none.
func (f *Form) arrange(d Document, added bool) arrangement {
	out, loose := f.keptApprovals(d)
	for _, r := range f.Recipients {
		if c, ok := f.closingOf(d, r, added); ok {
			loose = append(loose, c)
		}
	}
	signsFirst := func(a, b Field) int { return rank(a) - rank(b) }
	slices.SortStableFunc(loose, signsFirst)
	for _, field := range loose {
		one, placed := f.arrangedOf(field, d.scale())
		out.changed, out.placed = true, out.placed || placed
		out.add(f.Recipients[f.recipientAt(field.Recipient)].roleID(), one)
	}
	return out
}

// rank puts signatures before inputs.
func rank(d Field) int {
	if kindOf(d.Kind).Type == signature {
		return 0
	}
	return 1
}

// keptApprovals returns the approvals that the platform has of a document, with the fields
// that the form has of them, and the form's other fields of the document.
func (f *Form) keptApprovals(d Document) (out arrangement, loose []Field) {
	taken := map[string]bool{}
	for _, a := range f.at.documents[d.ID] {
		one := approvalLayout{role: a.role, members: a.members}
		for _, at := range a.fields {
			i := slices.IndexFunc(f.Fields, func(field Field) bool { return field.From == d.ID && field.ID == at.ID && field.Approval == "" })
			if i >= 0 && f.staysIn(a, at, f.Fields[i]) {
				field, placed := f.arrangedOf(f.Fields[i], d.scale())
				one.fields, taken[f.Fields[i].Key] = append(one.fields, field), true
				out.changed, out.placed = out.changed || field.changed, out.placed || placed
				continue
			}
			if i < 0 && f.closes(d, a.role, at) {
				one.fields = append(one.fields, fieldLayout{typed: at.Field, value: at.members})
				continue
			}
			out.changed = true // it is gone, or somewhere else
		}
		if len(one.fields) > 0 || len(a.fields) == 0 && f.keepsEmpty(d, a) {
			out.approvals = append(out.approvals, one)
		} else {
			out.changed = true
		}
	}
	for _, field := range f.Fields {
		if field.Document == d.Key && field.Fixed == "" && !taken[field.Key] && f.recipientAt(field.Recipient) >= 0 {
			loose = append(loose, field)
		}
	}
	return out, loose
}

// staysIn reports whether a field of the form stays in the approval that it has at the
// platform: it is still the same recipient's, in the same document, and signs as it did.
func (f *Form) staysIn(a originApproval, at originField, d Field) bool {
	if d.Fixed != "" {
		return true
	}
	i, document := f.recipientAt(d.Recipient), f.documentAt(d.Document)
	return i >= 0 && f.Recipients[i].roleID() == a.role && document >= 0 && f.Documents[document].ID == d.From && kindOf(d.Kind).Type == at.Type
}

// keepsEmpty reports whether the form has an approval without fields.
func (f *Form) keepsEmpty(d Document, a originApproval) bool {
	return slices.ContainsFunc(f.Fields, func(field Field) bool { return field.From == d.ID && field.Approval == a.id })
}

// add adds a field to an approval of the role, with at most one signature in each.
func (a *arrangement) add(role string, field fieldLayout) {
	at := -1
	for i, one := range a.approvals {
		if one.role != role || len(one.fields) == 0 || field.typed.Type == signature && one.signs() {
			continue
		}
		if at < 0 || one.signs() && !a.approvals[at].signs() {
			at = i
		}
	}
	switch {
	case at < 0:
		a.approvals = append(a.approvals, approvalLayout{role: role, fields: []fieldLayout{field}})
	case field.typed.Type == signature:
		a.approvals[at].fields = slices.Insert(a.approvals[at].fields, 0, field)
	default:
		a.approvals[at].fields = append(a.approvals[at].fields, field)
	}
}

// values returns the approvals as they are written.
func (a arrangement) values() []jsontext.Value {
	all := []jsontext.Value{}
	for _, one := range a.approvals {
		members := map[string]jsontext.Value{}
		maps.Copy(members, one.members)
		fields := []jsontext.Value{}
		for _, field := range one.fields {
			fields = append(fields, field.value)
		}
		members["role"], members["fields"] = encoded(one.role), encoded(fields)
		all = append(all, written(members))
	}
	return all
}

// checked returns the changed fields as the rules judge them; the pointer of each, below the
// document's, leads to its inputs.
func (a arrangement) checked(note func(at string, field fieldLayout)) (all []signing.Approval, extract bool) {
	all = []signing.Approval{}
	for _, one := range a.approvals {
		approval := signing.Approval{Role: one.role, Fields: []signing.Field{}}
		for _, field := range one.fields {
			if field.changed {
				note("/approvals/"+strconv.Itoa(len(all))+"/fields/"+strconv.Itoa(len(approval.Fields)), field)
				approval.Fields, extract = append(approval.Fields, field.typed), extract || field.typed.Extract
			}
		}
		if len(approval.Fields) > 0 {
			all = append(all, approval)
		}
	}
	return all, extract
}
