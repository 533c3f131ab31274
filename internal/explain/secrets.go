package explain

import (
	"regexp"
	"strings"
	"unicode"
)

// The names of what may be a secret, and its value, bare, in quotes or in quotes within quotes.
const (
	names = `[\w.-]*(?:password|passwd|passkey|passcode|passphrase|secret|token|api[_-]?key|private[_-]?key|callback[_-]?key|access[_-]?key|authorization|cookie|credential|session)[\w.-]*|\b(?:key|pwd|pin|otp|code|signature)`
	value = `(?:"(?:[^"\\]|\\.)*"?|\\+"(?:[^"\\]|\\[^"])*\\*"?|'[^']*'?|[^\s"'\\,;&}\])]+)`
)

// The log has no secrets. What a platform, a proxy or a library says may still hold one.
var secrets = []struct {
	looks *regexp.Regexp
	with  string
}{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)`), hidden},
	{regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)[^\r\n"]+`), "$1$2" + hidden},
	{regexp.MustCompile(`(?i)\b(basic|bearer|dpop|negotiate)\s+[^\s",;]{3,}`), "$1 " + hidden},
	{regexp.MustCompile(`(?i)((?:` + names + `)\\*["']?\s*=\s*)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)(["'](?:` + names + `)\\*["']\s*:\s*)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)\b([\w-]*(?:password|passwd|passphrase|secret|api[_-]?key)\s*:\s*)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)\b([\w-]*(?:token|session|key|code|pin|otp)\s*:\s*)[^\s,;]*\d[^\s,;]*`), "$1" + hidden},
	{regexp.MustCompile(`://[^/\s@]*@`), "://" + hidden + "@"},
	{regexp.MustCompile(`\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)*`), hidden},
	{regexp.MustCompile(`[A-Za-z0-9_+=-]{40,}`), hidden},
}

const hidden = "•••"

// shown returns a text of the log for a terminal: on one line, without what looks like a
// secret and without characters that steer a terminal.
func shown(text string) string {
	for _, s := range secrets {
		text = s.looks.ReplaceAllString(text, s.with)
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if short := []rune(text); len(short) > maxShown {
		return string(short[:maxShown]) + "…"
	}
	return text
}

// maxShown limits the characters of a text: the cause of a panic has its whole stack.
const maxShown = 600
