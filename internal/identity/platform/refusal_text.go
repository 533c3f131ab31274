package platform

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var plainWord = regexp.MustCompile(`^"[A-Za-z0-9_-]+"$`)

// maxPlainWord limits the characters of a plain word, without its quotation marks.
const maxPlainWord = 64

// wordOf returns a JSON string of one plain word; for anything else, "". A plain word has
// only one spelling, so a secret that the platform repeats can be redacted in it.
func wordOf(v jsontext.Value) string {
	if len(v) > maxPlainWord+len(`""`) || !plainWord.Match(v) {
		return ""
	}
	return textOf(v)
}

// The members that hold the text and the number of an error, in current and older
// responses, the most telling first. uafStatusCode is separate.
var (
	textMembers   = []string{"message", "errorMessage", "readableMessage", "error"}
	numberMembers = []string{"errorCode", "returnCode", "retCode", "code"}
)

// textOf returns a JSON string's text, or "" for anything else.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}

// numberOf returns an integer, sent as a number or as text, or zero for anything else.
func numberOf(v jsontext.Value) int {
	var n Number
	if v.Kind() != '"' && v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n.int()
}

// plainText returns a body that is one line of text or a JSON string, or "".
func plainText(body []byte) string {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if value := jsontext.Value(body); value.Kind() == '"' && value.IsValid() {
		return textOf(value)
	}
	if len(body) == 0 || !utf8.Valid(body) || bytes.ContainsAny(body[:1], `<{[`) || bytes.ContainsRune(body, '\n') {
		return ""
	}
	return string(body)
}
