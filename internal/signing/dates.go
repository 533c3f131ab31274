package signing

import (
	"slices"
	"strings"
	"time"
)

// edge is which end of a period a date is.
type edge int

const (
	beginning edge = iota
	end
)

// dayForms and timeForms are how clients write dates (docs/platform.md S5): a day or
// a time, with or without a fraction, with an offset in either form. One without an
// offset is in UTC.
var (
	dayForms  = []string{"2006-01-02Z07:00", "2006-01-02"}
	timeForms = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"}
)

// date reads the first of the names that is there; what any of them says must be
// understood.
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

// parseDate reads text. A day is its first moment or its last one.
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
