package portal

import (
	"slices"
	"strings"

	"countersign/internal/safetext"
	"countersign/templates"
)

// SpotName returns the accessible name of a field on a page: its name, kind, recipient
// and page.
func (e editorView) SpotName(v templates.View, f fieldPart, p pagePart) string {
	recipient := v.T("page.compose.nobody")
	if i := slices.IndexFunc(e.Recipients, func(r recipientPart) bool { return r.Key == f.Recipient }); i >= 0 {
		recipient = safetext.Isolate(e.Recipients[i].ShownName(v))
	}
	return v.List(safetext.Isolate(f.ShownName), v.T(kindIDs[f.Kind]), recipient, p.ShownName(v))
}

// SpotPattern returns SpotName with its parts' names in braces, for scripts.
func (editorView) SpotPattern(v templates.View) string {
	return v.List(safetext.Isolate("{name}"), "{kind}", safetext.Isolate("{recipient}"), "{page}")
}

// HitPattern returns the name of a place of a text with its parts' names in braces, for
// scripts.
func (e editorView) HitPattern(v templates.View) string {
	if len(e.Documents) > 1 {
		return v.T("page.editor.hit-of", "Number", "{number}", "Count", "{count}", "Page", "{page}", "Name", "{name}")
	}
	return v.T("page.editor.hit", "Number", "{number}", "Count", "{count}", "Page", "{page}")
}

// Handles returns the sides by which a field's size is changed: compass points.
func (editorView) Handles() []string { return []string{"nw", "n", "ne", "e", "se", "s", "sw", "w"} }

// kindGroup is a part of the palette: what the kinds in it are for.
type kindGroup struct {
	Name, HeadingID string
	Kinds           []kindPart
}

// KindGroups returns the kinds of fields by what recipients do with them: they sign, they
// fill in, or they only read.
func (e editorView) KindGroups() []kindGroup {
	groups := []kindGroup{{Name: "sign", HeadingID: "page.editor.to-sign"}, {Name: "fill", HeadingID: "page.editor.to-fill"}, {Name: "read", HeadingID: "page.editor.to-read"}}
	for _, k := range e.Kinds {
		at := 1
		switch k.Name {
		case "fullname", "initials", "drawn", "mobile":
			at = 0
		case "label":
			at = 2
		}
		groups[at].Kinds = append(groups[at].Kinds, k)
	}
	return groups
}

// customKind is the kind that shows a custom field of the account.
const customKind = "custom"

// The messages of what can be chosen for a field: its kind, what a label shows, its place by
// a text, and the check of its value.
var (
	kindIDs = map[string]string{
		"fullname": "page.compose.kind-fullname", "initials": "page.compose.kind-initials", "drawn": "page.compose.kind-drawn",
		"mobile": "page.compose.kind-mobile", "text": "page.compose.kind-text", "area": "page.compose.kind-area",
		"checkbox": "page.compose.kind-checkbox", "date": "page.compose.kind-date", "radio": "page.compose.kind-radio",
		"list": "page.compose.kind-list", customKind: "page.compose.kind-custom", "label": "page.editor.kind-label",
	}
	shownIDs = map[string]string{
		"signed": "page.editor.shows-signed", "name": "page.editor.shows-name",
		"title": "page.editor.shows-title", "company": "page.editor.shows-company",
	}
	placementIDs = map[string]string{
		"on": "page.editor.place-on", "right": "page.editor.place-right", "below": "page.editor.place-below", "above": "page.editor.place-above",
	}
	checkIDs = map[string]string{
		"any": "page.compose.check-any", "letters": "page.compose.check-letters", "number": "page.compose.check-number",
		"email": "page.compose.check-email", "own": "page.compose.check-own",
	}
)

// Invited returns the sentence that says who is invited when, by first names; "" while
// nobody has a name.
func (e editorView) Invited(v templates.View) string {
	if !slices.ContainsFunc(e.Recipients, func(r recipientPart) bool { return r.FirstName != "" }) {
		return ""
	}
	names := invitedNames(v, e.Recipients)
	if !e.InOrder && len(names) > 1 {
		return v.T("page.sending.who-end", "Sentence", v.T("page.sending.who-many", "Names", invitedList(v, names)))
	}
	sentence := v.T("page.sending.who-one", "Names", names[0])
	for i, name := range names[1:] {
		sentence = v.Plain("page.sending.who-later", "Sentence", sentence, "Name", name, "Previous", names[i])
	}
	return v.T("page.sending.who-end", "Sentence", sentence)
}

// invitedNames returns what recipients are called, isolated: the first name or, if several have it,
// the whole name; the number of a recipient who has none yet.
func invitedNames(v templates.View, recipients []recipientPart) []string {
	names := make([]string, len(recipients))
	for i, r := range recipients {
		same := func(other recipientPart) bool { return other.Key != r.Key && other.FirstName == r.FirstName }
		switch {
		case r.FirstName == "":
			names[i] = r.NumberName(v)
		case slices.ContainsFunc(recipients, same):
			names[i] = safetext.Isolate(strings.TrimSpace(r.FirstName + " " + r.LastName))
		default:
			names[i] = safetext.Isolate(r.FirstName)
		}
	}
	return names
}

// invitedList joins two names or more.
func invitedList(v templates.View, names []string) string {
	last := len(names) - 1
	all := names[0]
	for _, name := range names[1:last] {
		all = v.T("format.invited", "First", all, "Second", name)
	}
	return v.T("page.sending.who-and", "First", all, "Second", names[last])
}

// InvitedPair returns the pattern of two names of several for scripts.
func (editorView) InvitedPair(v templates.View) string {
	return v.T("format.invited", "First", "{first}", "Second", "{second}")
}
