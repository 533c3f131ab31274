package templates

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/safetext"
)

// ComposedSending is how a package in preparation is sent, as it was typed.
type ComposedSending struct {
	Message, Language, Due string
	// Zone is the time zone of the day Due, "" for UTC. DueAt is the moment for which it is
	// shown, zero for none; Exactly says that this is not the end of the day.
	Zone    string
	DueAt   time.Time
	Exactly bool

	RemindFirst, RemindEvery, RemindMost string
	// Languages are the languages to choose from.
	Languages []Choice
	// Asks are the sentences that a message begins with, and File is the name that the
	// package gets from its first file, for scripts.
	Asks []ComposedAsk
	File string
	// Shown are the name and the language with which a page without a draft is shown.
	ShownName, ShownLanguage string
}

// Stamp returns the moment for which the last day is shown as scripts read it; "" for none.
func (s ComposedSending) Stamp() string {
	if s.DueAt.IsZero() {
		return ""
	}
	return s.DueAt.UTC().Format(time.RFC3339)
}

// ZoneName returns the time zone of the last day as people read it, isolated: it was typed.
func (s ComposedSending) ZoneName() string {
	return safetext.Isolate(strings.ReplaceAll(s.Zone, "_", " "))
}

// ComposedAsk is the sentence that asks for signatures, in a language. Its {package} is the
// package's name or, without one, Untitled.
type ComposedAsk struct{ Language, Sentence, Untitled string }

// MaxMessage limits a message to recipients, in characters.
func (v View) MaxMessage() int { return 4000 }

// complaint is an input with an error: its name in the form, its name for people, with the
// part of the form that it is in, and what is wrong with it.
type complaint struct {
	Name, Part, Label, Wrong string
	// Recipient is the recipient whose input it is, if it is one's.
	Recipient ComposedRecipient
}

// complaint returns the complaint as a sentence.
func (v View) Complaint(c complaint) string {
	input := v.T(c.Label)
	ask, ok := asks[c.Label]
	switch empty := ok && c.Wrong == v.T("field.empty"); {
	case empty && c.Recipient.Key != "":
		return v.T("format.complaint", "Input", v.RecipientNumber(c.Recipient), "Problem", v.T(ask))
	case empty:
		return v.T(ask)
	case c.Recipient.Key != "":
		input = v.printer.List(v.RecipientNumber(c.Recipient), input)
	case c.Part != "":
		input = v.printer.List(safetext.Isolate(c.Part), input)
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
func (p NewPackage) Complaints() (all []complaint) {
	if p.Problem == nil || p.Problem.Row.Key != fault.RequestInvalid {
		return nil
	}
	for _, name := range p.inputs() {
		if wrong := p.Wrong[name]; wrong != "" {
			all = append(all, p.complaint(name, wrong))
		}
	}
	return all
}

func (p NewPackage) complaint(name, wrong string) complaint {
	c := complaint{Name: name, Wrong: wrong}
	key, input, ok := strings.Cut(name, ".")
	if !ok {
		c.Label = inputLabels[name]
		return c
	}
	c.Label = inputLabels[key[:1]+"."+input]
	for _, r := range p.Recipients {
		if r.Key == key {
			c.Recipient = r
		}
	}
	for _, f := range p.Fields {
		if f.Key == key {
			c.Part = cmp.Or(f.Found, f.Label)
		}
	}
	return c
}

// Invited returns the sentence that says who is invited when, by first names; "" while
// nobody has a name.
func (v View) Invited() string {
	page, _ := v.Page.(NewPackage)
	if !slices.ContainsFunc(page.Recipients, func(r ComposedRecipient) bool { return r.FirstName != "" }) {
		return ""
	}
	names := v.invitedNames(page.Recipients)
	if !page.InOrder && len(names) > 1 {
		return v.T("page.sending.who-end", "Sentence", v.T("page.sending.who-many", "Names", v.invitedList(names)))
	}
	sentence := v.T("page.sending.who-one", "Names", names[0])
	for i, name := range names[1:] {
		sentence = v.printer.Plain("page.sending.who-later", "Sentence", sentence, "Name", name, "Previous", names[i])
	}
	return v.T("page.sending.who-end", "Sentence", sentence)
}

// invitedNames returns what recipients are called, isolated: the first name or, if several have it,
// the whole name; the number of a recipient who has none yet.
func (v View) invitedNames(recipients []ComposedRecipient) []string {
	names := make([]string, len(recipients))
	for i, r := range recipients {
		same := func(other ComposedRecipient) bool { return other.Key != r.Key && other.FirstName == r.FirstName }
		switch {
		case r.FirstName == "":
			names[i] = v.RecipientNumber(r)
		case slices.ContainsFunc(recipients, same):
			names[i] = safetext.Isolate(strings.TrimSpace(r.FirstName + " " + r.LastName))
		default:
			names[i] = safetext.Isolate(r.FirstName)
		}
	}
	return names
}

// invitedList joins two names or more.
func (v View) invitedList(names []string) string {
	last := len(names) - 1
	all := names[0]
	for _, name := range names[1:last] {
		all = v.T("format.invited", "First", all, "Second", name)
	}
	return v.T("page.sending.who-and", "First", all, "Second", names[last])
}

// InvitedPair returns the pattern of two names of several for scripts.
func (v View) InvitedPair() string {
	return v.T("format.invited", "First", "{first}", "Second", "{second}")
}
