package explain

import (
	"regexp"
	"strings"
	"unicode"
)

// The names of what may be a secret, and its value, bare, in quotes or in quotes within quotes.
const (
	names = `[\w.-]*(?:passwor[dt]|passwd|kennwort|contraseña|mot[ _]de[ _]passe|パスワード|passkey|passcode|passphrase|secret|token|api[_-]?key|private[_-]?key|callback[_-]?key|access[_-]?key|authorization|cookie|credential|session|sessid)[\w.-]*|\b(?:key|pass|pwd?|pin|otp|code|sid|sig|signature)`
	is    = `\s*(?:=>?|%3[Dd]|\\+u003[Dd])\s*`
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
	{regexp.MustCompile(`(?i)((?:` + names + `)\\*["']?` + is + `)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)(["'](?:` + names + `)\\*["']\s*:\s*)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)([\w-]*(?:passwor[dt]|passwd|kennwort|contraseña|mot de passe|パスワード|passphrase|secret|api[_-]?key)\s*[:：]\s*)` + value), "$1" + hidden},
	{regexp.MustCompile(`(?i)\b([\w-]*(?:token|session|key|code|pin|otp)\s*:\s*)[^\s,;]*\d[^\s,;]*`), "$1" + hidden},
	{regexp.MustCompile(`(?i)(<(?:` + names + `)(?: [^>]*)?>)[^<]+`), "$1" + hidden},
	{regexp.MustCompile(`(?i)((?:passwor[dt]|passwd|passkey|passphrase|secret|token)\s+(?:is\s+)?["']?)[^\s,;"']*\d[^\s,;"']*`), "$1" + hidden},
	{regexp.MustCompile(`(?i)((?:pin|otp|code)\s+(?:is\s+)?["']?)\d{5,8}\b`), "$1" + hidden},
	{regexp.MustCompile(`\b(?:sk|pk|rk|xox[a-z]|gh[a-z]|glpat)[-_][\w-]{12,}|\b(?:AKIA|ASIA)[A-Z\d]{12,}`), hidden},
	{regexp.MustCompile(`\+\d[\d ().-]{6,}\d|\(0?\d{2,5}\) ?\d[\d -]{4,}\d|\b(?:00[1-9]\d{7,12}|0\d{2,4}[ /]\d{3}[\d ]*\d)\b`), hidden}, // a telephone number
	{regexp.MustCompile(`\b(?:\d{4}[ -]){3}\d{1,7}\b|\b\d{13,19}\b|\b[A-Z]{2}\d{2} ?(?:[A-Z\d]{4} ?){3,7}[A-Z\d]{0,4}\b`), hidden},      // a card, an account
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
