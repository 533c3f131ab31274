package compose

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
)

// KindWords returns the word for a kind of field, by the kind's name, in the package's
// language.
type KindWords func(kind string) string

// label gives every field without a label its default: the word for its kind, and the
// first number that makes the label unique. One that has no name at the platform gets none.
func (f *Form) label(words KindWords) {
	for i := range f.Fields {
		if f.Fields[i].Label != "" || f.Fields[i].Fixed != "" {
			continue
		}
		word, n := words(f.Fields[i].Kind), 1
		for slices.ContainsFunc(f.Fields, func(d Field) bool { return d.hasLabel(numbered(word, n)) }) {
			n++
		}
		f.Fields[i].Label = numbered(word, n)
		if f.Fields[i].Unnamed {
			f.Fields[i].Given = f.Fields[i].Label
		}
	}
}

func numbered(word string, n int) string { return word + " " + strconv.Itoa(n) }

// hasLabel reports whether the field has the label, or is sent with it as its name.
func (d Field) hasLabel(label string) bool { return d.Label == label || d.name() == label }

// follow resets the size and the label of a field whose kind changed, unless they were
// edited.
func (d *Field) follow(before Field, words KindWords) {
	if d.Found == "" && (d.sizedAs(kindOf(before.Kind)) || d.sizedAs(kindOf(d.Kind))) {
		d.Width, d.Height = "", ""
	}
	if d.Kind == before.Kind || d.Label != before.Label {
		return
	}
	if rest, ok := strings.CutPrefix(d.Label, words(before.Kind)+" "); ok && count(rest) != nil {
		d.Label = ""
	}
}

// name returns the field's name in the payload: the custom or found field that it shows,
// else its label.
func (d Field) name() string {
	switch {
	case d.Kind == customKind:
		return d.Custom
	case d.Found != "":
		return d.Found
	case d.Unnamed && d.Label == d.Given:
		return ""
	}
	return d.Label
}

// ambiguous returns violations for labels that occur twice among one recipient's fields.
func (f *Form) ambiguous() (fields []fault.Field) {
	type asked struct{ recipient, name string }
	seen := map[asked]bool{}
	for _, d := range f.Fields {
		if d.Found != "" || d.Kind == customKind {
			seen[asked{d.Recipient, d.name()}] = true
		}
	}
	for _, d := range f.Fields {
		one := asked{d.Recipient, d.name()}
		if d.Found != "" || d.Kind == customKind || f.recipientAt(d.Recipient) < 0 || d.Fixed != "" {
			continue
		}
		if was, _, _, ok := f.before(d); seen[one] && (!ok || was.name() != d.name()) {
			fields = append(fields, fault.Field{Pointer: d.Key + ".label", Detail: "field.taken"})
		}
		seen[one] = true
	}
	return fields
}
