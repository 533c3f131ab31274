package safetext

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in the form in which texts of people compare when one looks for
// another: whatever its letters are composed of, however wide and in whichever case they are,
// with all white space between words as one blank, and without what nobody sees.
func Fold(text string) string {
	folded := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(without(text, isInvisible))))
	return strings.Join(strings.Fields(folded), " ")
}
