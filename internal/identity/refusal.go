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
	// words may stand in the log beside the texts, by member.
	words map[string]string
}

// cause is said with the numbers that its texts do not tell, for the log.
func (r refusal) cause(said error) error {
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
		return said
	}
	return fmt.Errorf("%w (%s)", said, strings.Join(all, ", "))
}

var plainWord = regexp.MustCompile(`^"[A-Za-z0-9_-]{1,64}"$`)

// wordOf is a JSON string of one plain word; anything else is empty. A secret
// that the platform repeats is blotted out of it, for it is spelled as it is.
func wordOf(v jsontext.Value) string {
	if !plainWord.Match(v) {
		return ""
	}
	return textOf(v)
}

// The members that hold the text and the number of an error, now and in older
// answers, the most telling first. uafStatusCode is apart.
var (
	textMembers   = []string{"message", "errorMessage", "readableMessage", "error"}
	numberMembers = []string{"errorCode", "returnCode", "retCode", "code"}
)

// readRefusal reads what it can: an object, whole or cut off, a JSON string, a
// line of plain text. The page of a gateway says nothing.
func readRefusal(said *upstream.Error) refusal {
	var r refusal
	members := upstream.Members(said.Body)
	for _, name := range textMembers {
		r.say(textOf(members[name]))
		// Some gateways put the whole error into a member of that name.
		r.say(textOf(upstream.Members(members[name])["message"]))
	}
	for _, text := range said.ValidationErrors {
		r.say(text)
	}
	if len(members) == 0 {
		r.say(plainText(said.Body))
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

func (r *refusal) say(text string) {
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
