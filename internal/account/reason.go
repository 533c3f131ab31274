package account

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxReason limits a reason, in characters.
const maxReason = 500

// Reason returns an operator's reason, for the audit trail, without the spaces around it.
// ok is false unless it has 1 to 500 characters, one of which can be seen, and none of which
// changes how the line with it is shown: no control character, no line break, none that
// turns the direction of writing.
func Reason(text string) (reason string, ok bool) {
	reason = strings.TrimSpace(text)
	return reason, utf8.ValidString(reason) && utf8.RuneCountInString(reason) <= maxReason &&
		strings.ContainsFunc(reason, isVisible) && !strings.ContainsFunc(reason, changesLine)
}

func isVisible(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) }

func changesLine(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
