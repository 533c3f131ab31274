package safetext_test

import (
	"strings"
	"testing"

	"countersign/internal/safetext"
)

// A text is found however it was typed.
func TestFold_AnySpelling(t *testing.T) {
	for text, looked := range map[string]string{
		"\u00dcbergabe": "U\u0308bergabe", "A\u793e": "\uff21\u793e", "Miete\u00a0Nord": "miete nord", "Miete  Nord": "Miete Nord", "Stra\u00dfe": "STRASSE", "\u30ab\u30ab": "\uff76\uff76",
		"No 1\n2": "no\t1\u30002", "\ufb01le": "FILE", "\u03a3\u03a3": "\u03c3\u03c2", "\u1e9e": "ss", "Miet\u00advertrag": "mietvertrag", "Miete\u200b Nord": "\ufeffmiete nord", "\u0645\u06cc\u200c\u062e": "\u0645\u06cc\u062e", "a\u202eb\ufe0f": "ab",
	} {
		if one, other := safetext.Fold(text), safetext.Fold(looked); !strings.Contains(one, other) {
			t.Errorf("%q is %q, looked for is %q", text, one, other)
		}
	}
}
