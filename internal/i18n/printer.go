package i18n

import (
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"countersign/internal/safetext"
)

// Printer writes one language. It is safe for concurrent use.
type Printer struct {
	tag language.Tag
	// messages loads the messages when the first of them is needed: five languages take
	// long to load, and much of the memory.
	messages func() (*i18n.Localizer, error)
	name     func() string
	numbers  *message.Printer
	standing map[string]any // is never changed
}

func newPrinter(files fs.FS, tag language.Tag, standing map[string]any) *Printer {
	return &Printer{
		tag:      tag,
		messages: sync.OnceValues(func() (*i18n.Localizer, error) { return read(files, tag) }),
		name:     sync.OnceValue(func() string { return readName(files, tag) }),
		numbers:  message.NewPrinter(tag),
		standing: standing,
	}
}

// Tag returns the printer's BCP 47 tag.
func (p *Printer) Tag() string { return p.tag.String() }

// Name returns the language's own name. It is loaded by itself: a page names every
// language, and is written in one.
func (p *Printer) Name() string { return p.name() }

// T returns the message of id, its placeholders filled from args: name, value, name,
// value … . What people are called, and what they call things, is isolated: its direction
// of writing leaves the sentence as it is. For a missing message it returns the id; tests
// make sure that none is missing, and that every language's files load.
func (p *Printer) T(id string, args ...any) string {
	if len(args) == 0 {
		return p.localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: p.standing}, id)
	}
	return p.localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: isolated(pairs(args))}, id)
}

// Plain is T without isolation, for a text that is handed on: a name, or a message to
// signers.
func (p *Printer) Plain(id string, args ...any) string {
	return p.localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: pairs(args)}, id)
}

// N returns the message of id in the plural form of count, which also fills the
// placeholder Count, in the language's digits.
func (p *Printer) N(id string, count int, args ...any) string {
	data := isolated(pairs(args))
	data["Count"] = p.Number(count)
	return p.localize(&i18n.LocalizeConfig{MessageID: id, PluralCount: count, TemplateData: data}, id)
}

// Join joins sentences as the language does: with a space between them, or with none.
func (p *Printer) Join(sentences ...string) string { return p.fold("format.sentences", sentences) }

// List joins names with the language's separator.
func (p *Printer) List(names ...string) string { return p.fold("format.list", names) }

// fold joins texts, two at a time, by the message id.
func (p *Printer) fold(id string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	all := texts[0]
	for _, next := range texts[1:] {
		all = p.T(id, "First", all, "Second", next)
	}
	return all
}

// Number returns n in the digits of the language.
func (p *Printer) Number(n int) string { return p.numbers.Sprint(number.Decimal(n)) }

// DateTime returns t, in UTC, in the language's usual form. The language's file has the
// order of the parts, the names of the months, and the name of the first day of a month.
func (p *Printer) DateTime(t time.Time) string { return p.moment(t, "15:04") }

// Clock returns the time of t's day, in UTC, in the language's usual form.
func (p *Printer) Clock(t time.Time) string {
	return p.T("format.time", "Time", t.UTC().Format("15:04"))
}

// Date returns the day of t, in UTC, in the language's usual form.
func (p *Printer) Date(t time.Time) string { return p.date("format.day-of-year", t, "") }

// ExactTime is DateTime to the second.
func (p *Printer) ExactTime(t time.Time) string { return p.moment(t, "15:04:05") }

// Day returns the day of t, in UTC, without the year if it is the year of now.
func (p *Printer) Day(t, now time.Time) string {
	if t.UTC().Year() == now.UTC().Year() {
		return p.date("format.day", t, "")
	}
	return p.date("format.day-of-year", t, "")
}

func (p *Printer) moment(t time.Time, clock string) string {
	return p.date("format.date-time", t, clock)
}

func (p *Printer) date(id string, t time.Time, clock string) string {
	t = t.UTC()
	day := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		day = p.T("format.first-day")
	}
	return p.T(id, "Day", day, "Month", p.T(months[t.Month()-1]), "Year", strconv.Itoa(t.Year()), "Time", t.Format(clock))
}

var months = [...]string{
	"format.january", "format.february", "format.march", "format.april", "format.may", "format.june",
	"format.july", "format.august", "format.september", "format.october", "format.november", "format.december",
}

func (p *Printer) localize(config *i18n.LocalizeConfig, id string) string {
	messages, err := p.messages()
	if err != nil {
		return id
	}
	text, err := messages.Localize(config)
	if err != nil {
		return id
	}
	return text
}

// byPeople are the placeholders for texts by people. All others are for words of ours,
// numbers and addresses, or for texts in which such texts are isolated already.
var byPeople = []string{"Name", "Email", "ID", "Provider"}

// isolated isolates the texts by people in data, which it returns.
func isolated(data map[string]any) map[string]any {
	for _, name := range byPeople {
		if text, ok := data[name].(string); ok {
			data[name] = safetext.Isolate(text)
		}
	}
	return data
}

func pairs(args []any) map[string]any {
	data := make(map[string]any, len(args)/2+1)
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := args[i].(string); ok {
			data[name] = args[i+1]
		}
	}
	return data
}
