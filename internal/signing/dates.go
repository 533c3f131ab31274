package signing

import (
	"slices"
	"strings"
	"time"
)

// edge says which end of a period a date is.
type edge int

const (
	beginning edge = iota
	end
)

// dayForms and timeForms are the forms in which clients write dates (docs/platform.md
// S5): a day or a time, with or without a fraction, with an offset in either form.
// Without an offset it is in UTC.
var (
	dayForms  = []string{"2006-01-02Z07:00", "2006-01-02"}
	timeForms = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"}
)

// date returns the first of the named parameters that is present; all of them must be
// valid.
func (p *parameters) date(at edge, names ...string) time.Time {
	var first time.Time
	for _, name := range slices.Backward(names) {
		text := p.values.Get(name)
		if text == "" {
			continue
		}
		t, ok := parseDate(text, at)
		if !ok {
			p.refuse(name, "field.day-or-time")
		}
		first = t
	}
	return first
}

// parseDate parses text. A day is its first moment or, at the end of a period, its last
// one.
func parseDate(text string, at edge) (time.Time, bool) {
	text = strings.ReplaceAll(text, " ", "+") // Some clients do not escape the plus of an offset.
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), true
		}
	}
	for _, form := range dayForms {
		t, err := time.Parse(form, text)
		switch {
		case err != nil:
			continue
		case at == end:
			return t.Add(24*time.Hour - time.Millisecond).UTC(), true
		}
		return t.UTC(), true
	}
	return time.Time{}, false
}
