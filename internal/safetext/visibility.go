package safetext

import (
	"strings"
	"unicode"
)

// Visible returns a name, a number or an address as it was meant, from what somebody typed
// or pasted: without characters that nobody sees (format characters, the selectors of
// variants, joiners and fillers), and without white space around it.
func Visible(typed string) string {
	return strings.TrimSpace(without(typed, isInvisible))
}

func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Trim returns a text of words without white space and invisible characters around it.
// Those within it may join or part its letters.
func Trim(typed string) string { return strings.TrimFunc(typed, isUnseen) }
