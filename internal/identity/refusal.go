package identity

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/upstream"
)

// refusal is what is understood of an error's body.
type refusal struct {
	texts         []string
	number        int
	category      string
	uafStatusCode int
	command       string
	// words are plain words for the log, by member.
	words map[string]string
}

// cause is err with the numbers that its texts do not have, for the log.
func (r refusal) cause(err error) error {
	var all []string
	for name, number := range map[string]int{"errorCode": r.number, "uafStatusCode": r.uafStatusCode} {
		if number != 0 {
			all = append(all, fmt.Sprintf("%s %d", name, number))
		}
	}
	for name, word := range r.words {
		if word != "" {
			all = append(all, name+" "+word)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(all, ", "))
}

var plainWord = regexp.MustCompile(`^"[A-Za-z0-9_-]{1,64}"$`)

// wordOf is a JSON string of one plain word; anything else is empty. A plain word
// has one spelling, so that a secret that the platform repeats is redacted in it.
func wordOf(v jsontext.Value) string {
	if !plainWord.Match(v) {
		return ""
	}
	return textOf(v)
}

// The members that hold the text and the number of an error, in current and older
// responses, the most telling first. uafStatusCode is apart.
var (
	textMembers   = []string{"message", "errorMessage", "readableMessage", "error"}
	numberMembers = []string{"errorCode", "returnCode", "retCode", "code"}
)

// readRefusal reads an object, whole or cut off, a JSON string or a line of plain
// text; of anything else, such as the page of a gateway, it understands nothing.
func readRefusal(response *upstream.Error) refusal {
	var r refusal
	members := upstream.Members(response.Body)
	for _, name := range textMembers {
		r.addText(textOf(members[name]))
		// Some gateways put the whole error into a member of that name.
		r.addText(textOf(upstream.Members(members[name])["message"]))
	}
	for _, text := range response.ValidationErrors {
		r.addText(text)
	}
	if len(members) == 0 {
		r.addText(plainText(response.Body))
	}
	for _, name := range numberMembers {
		if n := numberOf(members[name]); n != 0 && r.number == 0 {
			r.number = n
		}
	}
	r.category = textOf(members["errorCategory"])
	r.words = map[string]string{"errorCategory": wordOf(members["errorCategory"]), "logCorrelationId": wordOf(members["logCorrelationId"])}
	r.uafStatusCode = numberOf(members["uafStatusCode"])
	if command := textOf(members["command"]); command != "" {
		if _, err := hex.DecodeString(command); err == nil {
			r.command = command
		}
	}
	return r
}

func (r *refusal) addText(text string) {
	if text != "" {
		r.texts = append(r.texts, text)
	}
}

// textOf is a JSON string's text; anything else is empty.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}

// numberOf is an integer, sent as a number or as text; anything else is zero.
func numberOf(v jsontext.Value) int {
	var n Number
	if v.Kind() != '"' && v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n.int()
}

// plainText is a body that is one line of text, or a JSON string.
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
