package explain

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/i18n"
)

// story is what the log tells of a request.
type story struct {
	request record
	events  []record // of the audit trail
	lines   int      // that tell of it
}

func (s *story) add(r record) {
	s.lines++
	if r.isRequest() {
		s.request = r
	} else {
		s.events = append(s.events, r)
	}
}

// page writes lines of a name and a text.
type page struct{ w io.Writer }

func (p page) line(name, text string) {
	if text != "" {
		fmt.Fprintf(p.w, "  %-9s %s\n", name, text)
	}
}

func (s *story) write(w io.Writer, words *i18n.Printer) {
	r, p := s.request, page{w}
	get := func(name string) string { return shown(r.text(name)) }
	fmt.Fprintf(w, "Request %s\n", get("id"))
	p.line("When", get("time")+after(", took ", elapsed(get("duration"))))
	who := "no signed-in user"
	if person := get("person"); person != "" {
		who = person
	}
	p.line("User", who+after(", from ", get("address")))
	p.line("Request", get("method")+" "+get("path")+after(", route ", get("route")))
	p.line("Response", get("status")+after(", ", get("key")))
	p.line("Message", reading(words, fault.Key(get("key"))))
	if specific := get("specific"); specific != "" {
		p.line("Specific", specific+after(": ", reading(words, fault.Key(specific))))
	}
	for _, call := range s.calls() {
		p.line("Call", call.words())
	}
	p.line("Cause", get("cause"))
	p.line("", meaning(r))
	p.line("Proxy ID", get("proxyRequest"))
	p.line("Trace", get("trace"))
	for _, event := range s.events {
		p.line("Audit", shown(event.text("event")+after(", ", event.text("operation"))+after(": ", event.text("reason"))))
	}
	s.advise(w)
}

// advise writes what can be done.
func (s *story) advise(w io.Writer) {
	key := fault.Key(shown(s.request.text("key")))
	var lines []string
	for _, one := range []fault.Key{key, fault.Key(shown(s.request.text("specific")))} {
		if fault.Known(one) {
			lines = append(lines, fmt.Sprintf("docs/errors.md, %s: %s", one, row(fault.Lookup(one))))
		}
	}
	for _, alert := range s.alerts() {
		lines = append(lines, fmt.Sprintf("docs/runbooks/%s.md: the alert %s counts this", alert, alert))
	}
	if ids := s.ids(); len(ids) > 0 && key != "" {
		lines = append(lines, "Quote to the platform's support: "+strings.Join(ids, ", "))
	}
	if len(lines) == 0 {
		lines = []string{"Nothing: the request succeeded"}
	}
	fmt.Fprintln(w, "What to do")
	for _, line := range lines {
		fmt.Fprintf(w, "  - %s\n", line)
	}
}

func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// elapsed returns a duration with its unit: JSON has a number of seconds.
func elapsed(duration string) string {
	if seconds, err := strconv.ParseFloat(duration, 64); err == nil {
		return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond).String()
	}
	return duration
}

// reading returns what people read of an error; "" for none that is known.
func reading(words *i18n.Printer, key fault.Key) string {
	if !fault.Known(key) {
		return ""
	}
	row := fault.Lookup(key)
	return words.Join(words.T(row.TitleID())+".", words.T(row.MessageID()), words.T(row.NextID()))
}

// row returns what the catalogue says of an error besides the words that people read.
func row(r fault.Row) string {
	said := "trying again does not help"
	if r.Retryable {
		said = "trying again helps"
	}
	if r.Action != "" {
		said += ", clients offer " + string(r.Action)
	}
	if r.Level >= slog.LevelError {
		said += ", an operator is to look"
	}
	return said
}
