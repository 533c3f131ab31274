package safetext

import (
	"strings"
	"unicode"
)

// FirstStrong begins a text whose direction is its own, and PopIsolate ends it (UAX #9).
const (
	FirstStrong = "\u2068"
	PopIsolate  = "\u2069"
)

// Isolate returns a text by people for a sentence: whatever its direction of writing is,
// the words around it stay as they are. The text's direction controls are removed, since one
// could end the isolation. Isolating twice is isolating once; "" stays "".
func Isolate(text string) string {
	if text == "" {
		return ""
	}
	return FirstStrong + WithoutDirections(text) + PopIsolate
}

// WithoutDirections returns text without the controls that turn the direction of what
// follows. Marks of direction, which turn nothing, and joiners stay.
func WithoutDirections(text string) string {
	return without(text, turnsDirection)
}

// Line returns text as a name may be: without control characters and those that turn the
// direction of writing. White space that would break the line becomes a space.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || separates(r):
			return ' '
		case changesLine(r):
			return -1
		}
		return r
	}, text)
}

// Prose is Line for a text of several lines, which may contain tabs and line breaks.
// The separators of Unicode become line breaks.
func Prose(text string) string {
	text = strings.Map(func(r rune) rune {
		if separates(r) {
			return '\n'
		}
		return r
	}, text)
	return without(text, changesProse)
}

// IsLine reports whether Line returns text as it is.
func IsLine(text string) bool { return !strings.ContainsFunc(text, changesLine) }

// IsProse reports whether Prose returns text as it is.
func IsProse(text string) bool { return !strings.ContainsFunc(text, changesProse) }

func changesProse(r rune) bool {
	return changesLine(r) && r != '\t' && r != '\n' && r != '\r'
}

func changesLine(r rune) bool { return unicode.IsControl(r) || turnsDirection(r) || separates(r) }

// separates reports whether r is the separator of lines or of paragraphs.
func separates(r rune) bool { return r == '\u2028' || r == '\u2029' }

// turnsDirection reports whether r is an embedding, an override, an isolate, or the end of
// one.
func turnsDirection(r rune) bool {
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

func without(text string, unwanted func(rune) bool) string {
	if !strings.ContainsFunc(text, unwanted) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unwanted(r) {
			return -1
		}
		return r
	}, text)
}
