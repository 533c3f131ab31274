package safetext_test

import (
	"testing"

	"countersign/internal/safetext"
)

const allDirections = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

func TestIsolate_DirectionControlsRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"Bob":                              "\u2068Bob\u2069",
		"Bob\u202e":                        "\u2068Bob\u2069",
		"a" + allDirections + "b":          "\u2068ab\u2069",
		"\u2068Bob\u2069":                  "\u2068Bob\u2069",
		"שלום":                             "\u2068שלום\u2069",
		"a\u200d\u200c\u200e\u200f\u061cb": "\u2068a\u200d\u200c\u200e\u200f\u061cb\u2069",
	} {
		if got := safetext.Isolate(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Names lose what changes the line that they stand in, texts of several lines keep tabs
// and line breaks, and both keep joiners and marks.
func TestLinesAndProse_UnsafeCharactersRemoved(t *testing.T) {
	for text, want := range map[string]struct{ line, prose string }{
		"Ada Archer":                     {"Ada Archer", "Ada Archer"},
		"a\tb\r\nc":                      {"a b  c", "a\tb\r\nc"},
		"a\x00b\x1fc\x7fd\u0085e\u009f":  {"abcde", "abcde"},
		"a" + allDirections + "b":        {"ab", "ab"},
		"\u200d\u200c\u200e\u200f\u061c": {"\u200d\u200c\u200e\u200f\u061c", "\u200d\u200c\u200e\u200f\u061c"},
		"a\u2028b\u2029c":                {"a b c", "a\nb\nc"},
		"":                               {"", ""},
	} {
		if got := safetext.Line(text); got != want.line {
			t.Errorf("the line %q becomes %q, want %q", text, got, want.line)
		}
		if got := safetext.Prose(text); got != want.prose {
			t.Errorf("the prose %q becomes %q, want %q", text, got, want.prose)
		}
		if got := safetext.IsLine(text); got != (text == safetext.Line(text)) {
			t.Errorf("%q is a line: %v", text, got)
		}
		if got := safetext.IsProse(text); got != (text == safetext.Prose(text)) {
			t.Errorf("%q is prose: %v", text, got)
		}
	}
}
