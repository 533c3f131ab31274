package compose

import "slices"

// Kind is a kind of field (specification, part 2.4).
type Kind struct {
	// Name is its name in forms.
	Name          string
	Type, Subtype string
	// Width and Height are the size of a new field of the kind, in points.
	Width, Height float64
}

const (
	signature = "SIGNATURE"
	input     = "INPUT"
	// customKind shows a custom field of the account.
	customKind = "custom"
	// labelKind shows something of the signer or the signature.
	labelKind = "label"
	// radio is the subtype of radio buttons.
	radio = "RADIO"
)

// kinds are all kinds, those that are used most first.
var kinds = []Kind{
	{Name: "fullname", Type: signature, Subtype: "FULLNAME", Width: 200, Height: 50},
	{Name: "initials", Type: signature, Subtype: "INITIALS", Width: 80, Height: 40},
	{Name: "drawn", Type: signature, Subtype: "CAPTURE", Width: 200, Height: 50},
	{Name: "mobile", Type: signature, Subtype: "MOBILE_CAPTURE", Width: 200, Height: 50},
	{Name: "text", Type: input, Subtype: "TEXTFIELD", Width: 200, Height: 20},
	{Name: "area", Type: input, Subtype: "TEXTAREA", Width: 200, Height: 60},
	{Name: "checkbox", Type: input, Subtype: "CHECKBOX", Width: 14, Height: 14},
	{Name: "date", Type: input, Subtype: "DATE", Width: 100, Height: 20},
	{Name: "radio", Type: input, Subtype: radio, Width: 14, Height: 14},
	{Name: "list", Type: input, Subtype: "LIST", Width: 200, Height: 20},
	{Name: customKind, Type: input, Subtype: "CUSTOMFIELD", Width: 200, Height: 20},
	{Name: labelKind, Type: input, Subtype: "LABEL", Width: 200, Height: 20},
}

// LabelContent names a thing that a label can show, in the form and by the platform's binding.
type LabelContent struct{ Name, Binding string }

// labels are all things that a label can show.
var labels = []LabelContent{
	{"signed", "{approval.signed}"}, {"name", "{signer.name}"}, {"title", "{signer.title}"}, {"company", "{signer.company}"},
}

// Shows returns all things that a label can show.
func Shows() []LabelContent { return slices.Clone(labels) }

// binding returns what a label of the field shows; "" for another kind.
func (d Field) binding() string {
	if d.Kind != labelKind {
		return ""
	}
	i := slices.IndexFunc(labels, func(s LabelContent) bool { return s.Name == d.Shows })
	return labels[max(i, 0)].Binding
}

// updateKind replaces the name of a kind that older forms have: each thing that a label
// shows was a separate kind.
func (d *Field) updateKind() {
	if slices.ContainsFunc(labels, func(s LabelContent) bool { return s.Name == d.Kind }) {
		d.Kind, d.Shows = labelKind, d.Kind
	}
}

// Everywhere reports whether a field of the kind may stand on every page: each signature
// but initials would be a separate approval.
func (k Kind) Everywhere() bool { return k.Type == input || k.Subtype == "INITIALS" }

// kindOf returns the kind with that name; the first kind if there is none.
func kindOf(name string) Kind {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	return kinds[max(i, 0)]
}

// kindFor returns the name of the kind for a field of the platform, and for a label what
// it shows; ok is false for a field that no form has.
func kindFor(kind, subtype, binding string) (name, shows string, ok bool) {
	if subtype == "CAPTURE_MOBILE" {
		subtype = "MOBILE_CAPTURE"
	}
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Type == kind && k.Subtype == subtype })
	if i < 0 {
		return "", "", false
	}
	if kinds[i].Name != labelKind {
		return kinds[i].Name, "", true
	}
	at := slices.IndexFunc(labels, func(s LabelContent) bool { return s.Binding == binding })
	if at < 0 {
		return labelKind, "", false
	}
	return labelKind, labels[at].Name, true
}

// Check is a test of an entry: one of the predefined validators (specification, part
// 2.5), or a typed pattern.
type Check struct{ Name, Pattern string }

// own is the check by a pattern that is typed.
const own = "own"

// checks are all checks.
var checks = []Check{
	{Name: "any"},
	{Name: "letters", Pattern: `^[\sa-zA-Z]+$`},
	{Name: "number", Pattern: `^[-+]?[0-9]*\.?[0-9]*$`},
	{Name: "email", Pattern: `^([a-z0-9_\.-]+)@([\da-z\.-]+)\.([a-z\.]{2,6})$`},
	{Name: own},
}

// pattern returns the pattern of the field's check.
func (d Field) pattern() string {
	if d.Check == own {
		return d.Pattern
	}
	i := slices.IndexFunc(checks, func(c Check) bool { return c.Name == d.Check })
	return checks[max(i, 0)].Pattern
}

// checkFor returns the check with that pattern; for a pattern of none, own and the
// pattern.
func checkFor(pattern string) (name, typed string) {
	for _, c := range checks {
		if c.Pattern == pattern && c.Name != own {
			return c.Name, ""
		}
	}
	return own, pattern
}

// Kinds returns all kinds, those that are used most first.
func Kinds() []Kind { return slices.Clone(kinds) }

// Checks returns all checks.
func Checks() []Check { return slices.Clone(checks) }
