package portal

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/safetext"
	"countersign/templates"
)

// inputs are the inputs of a form with their errors.
type inputs struct {
	// Wrong holds the errors, by the names of the inputs.
	Wrong map[string]string

	first string // the input that gets the focus
}

// input is an input of the form: its name, its typed value and its error.
type input struct {
	Name, LabelID, UnitID, Typed, Wrong, Type string
	First                                     bool
	// Required marks the input in words.
	Required bool
}

// Input returns the input of that name with its error.
func (i inputs) Input(name string) input {
	return input{Name: name, Wrong: i.Wrong[name], First: i.first == name}
}

// Text returns the input of that name as a text input of type kind, with the typed value.
func (i inputs) Text(name, labelID, typed, kind string) input {
	c := i.Input(name)
	c.LabelID, c.Typed, c.Type = labelID, typed, kind
	return c
}

// Required is Text for an input that must be filled in.
func (i inputs) Required(name, labelID, typed, kind string) input {
	c := i.Text(name, labelID, typed, kind)
	c.Required = true
	return c
}

// Measure returns the input of that name as a number with a unit.
func (i inputs) Measure(name, labelID, typed, unitID string) input {
	c := i.Text(name, labelID, typed, "text")
	c.UnitID = unitID
	return c
}

// firstOf returns the first of names with an error.
func firstOf(names []string, wrong map[string]string) string {
	i := slices.IndexFunc(names, func(name string) bool { return wrong[name] != "" })
	if i < 0 {
		return ""
	}
	return names[i]
}

func under(key string, names ...string) []string {
	for i, name := range names {
		names[i] = key + "." + name
	}
	return names
}

// names returns the names of the inputs in the order of the page.
func (e editorView) names() []string {
	names := []string{"name", "files"}
	for _, r := range e.Recipients {
		names = append(names, r.inputs()...)
	}
	for _, f := range e.Fields {
		names = append(names, f.inputs()...)
	}
	return append(names, "message", "language", "due", "remind_first", "remind_every", "remind_most")
}

// Focuses reports whether the page gives the focus to the element with that id.
func (e editorView) Focuses(id string) bool { return e.Focus == id && e.Problem == nil }

// complaint is an input with an error: its name in the form, its name for people, with the
// part of the form that it is in, and what is wrong with it.
type complaint struct {
	Name, Part, Label, Wrong string
	// Recipient is the recipient whose input it is, if it is one's.
	Recipient recipientPart
}

// Sentence returns the complaint as a sentence.
func (c complaint) Sentence(v templates.View) string {
	input := v.T(c.Label)
	ask, ok := asks[c.Label]
	switch empty := ok && c.Wrong == v.T("field.empty"); {
	case empty && c.Recipient.Key != "":
		return v.T("format.complaint", "Input", c.Recipient.NumberName(v), "Problem", v.T(ask))
	case empty:
		return v.T(ask)
	case c.Recipient.Key != "":
		input = v.List(c.Recipient.NumberName(v), input)
	case c.Part != "":
		input = v.List(safetext.Isolate(c.Part), input)
	}
	return v.T("format.complaint", "Input", input, "Problem", c.Wrong)
}

// asks are the messages that ask for what is not filled in, by the message that names the
// input: a sentence for the package, the end of one for a recipient.
var asks = map[string]string{
	"page.compose.name": "page.sending.enter-name", "page.compose.first-name": "page.sending.enter-first-name",
	"page.compose.last-name": "page.sending.enter-last-name", "page.compose.email": "page.sending.enter-email",
}

// inputLabels are the messages that name the inputs of the form: those of the package, of
// a recipient and of a field.
var inputLabels = map[string]string{
	"name": "page.compose.name", "files": "page.compose.documents", "message": "page.sending.message", "language": "page.sending.language",
	"due": "page.sending.due", "remind_first": "page.sending.remind-first", "remind_every": "page.sending.remind-every", "remind_most": "page.sending.remind-most",

	"r.first_name": "page.compose.first-name", "r.last_name": "page.compose.last-name", "r.email": "page.compose.email", "r.phone": "page.compose.phone",
	"r.by_email": "page.compose.notify", "r.message": "page.sending.own-message", "r.file_name": "page.compose.file-name", "r.file_about": "page.compose.file-about",

	"f.label": "page.compose.label", "f.recipient": "page.compose.recipient", "f.kind": "page.compose.kind", "f.document": "page.compose.document",
	"f.custom": "page.compose.custom", "f.check": "page.compose.check", "f.pattern": "page.compose.pattern", "f.message": "page.compose.message",
	"f.min_length": "page.editor.shortest", "f.max_length": "page.editor.longest", "f.options": "page.compose.options", "f.group": "page.compose.group",
	"f.anchor": "page.compose.anchor", "f.hit": "page.editor.which", "f.right": "page.compose.right-by", "f.down": "page.compose.down-by", "f.page": "page.compose.page",
	"f.left": "page.compose.left", "f.top": "page.compose.top", "f.width": "page.compose.width", "f.height": "page.compose.height",
}

// Complaints returns the inputs with errors in the order of the page; none unless the
// problem is one of inputs.
func (e editorView) Complaints() (all []complaint) {
	if e.Problem == nil || e.Problem.Row.Key != fault.RequestInvalid {
		return nil
	}
	for _, name := range e.names() {
		if wrong := e.Wrong[name]; wrong != "" {
			all = append(all, e.complaint(name, wrong))
		}
	}
	return all
}

func (e editorView) complaint(name, wrong string) complaint {
	c := complaint{Name: name, Wrong: wrong}
	key, input, ok := strings.Cut(name, ".")
	if !ok {
		c.Label = inputLabels[name]
		return c
	}
	c.Label = inputLabels[key[:1]+"."+input]
	for _, r := range e.Recipients {
		if r.Key == key {
			c.Recipient = r
		}
	}
	for _, f := range e.Fields {
		if f.Key == key {
			c.Part = cmp.Or(f.Found, f.Label)
		}
	}
	return c
}
