package compose

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
)

// SendOptions is how a package is sent: the text of its invitations, its language, until when
// it may be signed and how people are reminded; everything as it was typed.
type SendOptions struct {
	// Message is the text to everybody. It follows the package's name and language until
	// it is Edited.
	Message string `json:"message,omitzero"`
	Edited  bool   `json:"edited,omitzero"`
	// Language is the tag of the package's language.
	Language string `json:"language,omitzero"`
	// Due is the last day on which the package may be signed, such as 2030-12-31, in the
	// time zone Zone; "" is UTC.
	Due  string `json:"due,omitzero"`
	Zone string `json:"zone,omitzero"`
	// At is the moment for which the day is shown, until another day is typed; "" is the end of
	// the day.
	At string `json:"dueAt,omitzero"`
	// RemindFirst and RemindEvery are numbers of days, RemindMost limits the reminders.
	RemindFirst string `json:"remindFirst,omitzero"`
	RemindEvery string `json:"remindEvery,omitzero"`
	RemindMost  string `json:"remindMost,omitzero"`
	// Reminded are the platform's reminders, as they were last read or written.
	Reminded signing.Reminders `json:"reminded,omitzero"`
	// Asker is who prepares the package, as the message names them.
	Asker string `json:"asker,omitzero"`
}

// RequestText returns the sentence with which asker asks for signatures in a package of that
// name, in a language; name may be "".
type RequestText func(language, asker, name string) string

// Title returns the package's name: the typed one, else that of the first document's file;
// "" if there is neither.
func (f *Form) Title() string {
	if f.Name != "" || len(f.Documents) == 0 {
		return f.Name
	}
	return Stem(f.Documents[0].Name)
}

// Stem returns a file's name without its extension.
func Stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 && slices.Contains(extensions, strings.ToLower(name[i+1:])) {
		return name[:i]
	}
	return name
}

var extensions = []string{"pdf", "doc", "docx", "odt", "rtf", "txt"}

// TypeSending takes over what was typed about the sending; call it before Type, which
// changes the name that the message was shown with. It does nothing unless typed has the
// message.
func (f *Form) TypeSending(typed map[string]string, asks RequestText) {
	message, ok := typed["message"]
	if !ok {
		return
	}
	message = textOf(message)
	shown := f.Message
	if !f.Edited {
		shown = asks(f.Language, f.Asker, f.Title())
	}
	if language := strings.TrimSpace(typed["language"]); language != "" {
		f.Language = language
	}
	f.typeDue(typed)
	f.typeReminders(typed)
	next := *f
	next.take(typed)
	follows := asks(f.Language, f.Asker, next.Title())
	f.Edited = message != follows && (f.Edited || message != shown)
	if f.Message = message; !f.Edited {
		f.Message = follows
	}
}

// typeReminders takes over the typed reminders if they differ from those that the page
// showed: a program may have changed them meanwhile.
func (f *Form) typeReminders(typed map[string]string) {
	next := f.SendOptions
	for name, to := range map[string]*string{"remind_first": &next.RemindFirst, "remind_every": &next.RemindEvery, "remind_most": &next.RemindMost} {
		*to = payload.NormalNumber(typed[name])
	}
	if shown, ok := typed["remind_shown"]; !ok || shown != next.remindersTyped() {
		f.SendOptions = next
	}
}

// noReminders is remindersTyped where nothing is typed.
const noReminders = "  "

// ShowsReminders reports whether the page that sent typed was shown with reminders.
func ShowsReminders(typed map[string]string) bool {
	return strings.TrimSpace(typed["remind_shown"]) != ""
}

// remindersTyped returns what is typed about reminders, in one text.
func (s SendOptions) remindersTyped() string {
	return strings.Join([]string{s.RemindFirst, s.RemindEvery, s.RemindMost}, " ")
}

// followReminders takes over the platform's reminders, unless others are typed here.
func (s *SendOptions) followReminders(at signing.Reminders) {
	if at != s.Reminded && s.reminders() == s.Reminded {
		s.showReminders(at)
	}
	s.Reminded = at
}

func (s *SendOptions) showReminders(at signing.Reminders) {
	s.RemindFirst, s.RemindEvery, s.RemindMost = "", "", ""
	if at.Most > 0 {
		s.RemindFirst, s.RemindEvery, s.RemindMost = strconv.Itoa(at.Start), strconv.Itoa(at.Interval), strconv.Itoa(at.Most)
	}
}

// FollowName renews the message, unless it was edited, after a change of the package's
// name.
func (f *Form) FollowName(asks RequestText) {
	if !f.Edited {
		f.Message = asks(f.Language, f.Asker, f.Title())
	}
}

// textOf returns a text of several lines as it was typed: browsers send lines that end in
// CR LF.
func textOf(typed string) string { return strings.TrimSpace(breaks.Replace(typed)) }

// breaks makes each kind of line break one.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// The limits of reminders: days, and how many there are.
const (
	maxRemindDays = 365
	maxReminders  = signing.MaxReminders
)

// reminders returns the platform's reminders; the zero value unless all of them is typed.
func (s SendOptions) reminders() signing.Reminders {
	first, every, most := whole(s.RemindFirst, maxRemindDays), whole(s.RemindEvery, maxRemindDays), whole(s.RemindMost, maxReminders)
	if first == 0 || every == 0 || most == 0 {
		return signing.Reminders{}
	}
	return signing.Reminders{Start: first, Interval: every, Most: most}
}

// whole returns a typed number from 1 to most, else 0.
func whole(typed string, most int) int {
	if n := count(typed); n != nil && *n >= 1 && *n <= most {
		return *n
	}
	return 0
}

// invalid returns violations for what cannot be sent: what invalidDue says, and
// reminders that are no numbers or are half typed.
func (s SendOptions) invalid(now time.Time) (fields []fault.Field) {
	note := func(name, detail string) { fields = append(fields, fault.Field{Pointer: name, Detail: detail}) }
	fields = s.invalidDue(now)
	remind := s.RemindFirst + s.RemindEvery + s.RemindMost
	for _, in := range []struct {
		formInput
		most   int
		detail string
	}{
		{formInput{"remind_first", s.RemindFirst}, maxRemindDays, "field.remind-days"},
		{formInput{"remind_every", s.RemindEvery}, maxRemindDays, "field.remind-days"},
		{formInput{"remind_most", s.RemindMost}, maxReminders, "field.remind-most"},
	} {
		switch {
		case in.typed == "" && remind != "":
			note(in.name, "field.required")
		case in.typed != "" && whole(in.typed, in.most) == 0:
			note(in.name, in.detail)
		}
	}
	return fields
}

// shownValues holds the parts of the platform's package that a form shows besides roles and
// documents.
type shownValues struct{ Name, Message, Language, Due string }

// shown returns what a form shows of the platform's package.
func (s storedPackage) shown() shownValues {
	return shownValues{s.Name, s.Message, primary(s.Language), moment(s.Due)}
}

// primary returns a language without its region, which a platform may add.
func primary(language string) string {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	return language
}

// moment returns a time of the platform to the second, in UTC; "" for none.
func moment(at signing.Moment) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Truncate(time.Second).Format(time.RFC3339)
}

// changes returns the members of the package that the form replaces, as far as they are
// valid, when it is saved or sent, and what a form then shows of it.
func (d *Draft) changes(name string, now time.Time, sends bool) (map[string]any, shownValues) {
	is := d.shown()
	is.Name = name
	changes := map[string]any{"name": name}
	if s := d.Form.SendOptions; s.Language != "" { // else the form is older than these members
		if len([]rune(s.Message)) <= signing.MaxProse {
			changes["emailMessage"], is.Message = s.Message, s.Message
		}
		changes["language"], is.Language = s.Language, primary(s.Language)
		at, ok := s.dueAt()
		switch {
		case s.Due == "" && is.Due != "" && (sends || d.Due.After(now)): // a day that is over is not shown
			changes["due"], is.Due = nil, ""
		case ok && is.Due == at.UTC().Format(time.RFC3339): // it stays to the last digit
		case ok && at.After(now):
			is.Due = at.UTC().Format(time.RFC3339)
			changes["due"] = is.Due
		}
	}
	return changes, is
}

// sendingOf returns how a package is sent for which no form is stored; a day that is over
// is left out. A day is one of the time zone.
func (s storedPackage) sendingOf(reminders signing.Reminders, now time.Time, zone string) SendOptions {
	out := SendOptions{Message: s.Message, Edited: s.Message != "", Language: s.Language, Zone: zone}
	if at := s.Due; at.After(now) {
		out.showDue(at.Time)
	}
	out.Reminded = reminders
	out.showReminders(reminders)
	return out
}
