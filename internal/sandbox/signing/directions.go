package signing

import (
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// isolate returns a text by people for a sentence from left to right, as those of all messages
// are. One that is written from right to left stays together, and what turns the direction of
// writing is left out (UAX #9). Any other text is returned as it is.
func isolate(text string) string {
	turns := false
	plain := strings.Map(func(r rune) rune {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.R, bidi.AL, bidi.AN:
			turns = true
		case bidi.LRE, bidi.RLE, bidi.LRO, bidi.RLO, bidi.PDF, bidi.LRI, bidi.RLI, bidi.FSI, bidi.PDI:
			turns = true
			return -1
		}
		return r
	}, text)
	if !turns {
		return text
	}
	return "\u2068" + plain + "\u2069"
}
