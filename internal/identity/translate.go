package identity

import (
	"bytes"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// translate makes of a refusal the row that the operation promises for it, with
// the more specific one of what the platform said. What it said remains the
// cause, for the log.
func (c *Client) translate(op operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	if !ok || fault.Is(err, fault.PlatformUnavailable) {
		return err
	}
	refused := fault.Is(err, fault.PlatformRefused)
	key := fault.From(err).Key
	if listed := op.refusals[said.Status]; refused && listed != "" {
		key = listed
	}
	read := readRefusal(said)
	e := fault.Wrap(key, said)
	e.UAFStatusCode = read.uafStatusCode
	if op.commands {
		e.Command = read.command
	}
	specific, known := fault.Translate(fault.Upstream{
		Family: fault.Identity, Release: c.release, Scenario: op.scenario,
		Texts: read.texts, Number: read.number, Category: read.category, UAFStatusCode: read.uafStatusCode,
	})
	switch {
	case named(key) && !fault.Lookup(specific).Private:
		return e
	case named(key): // it is the account that is not there
		e.Key = fault.PlatformRefused
	}
	e.Specific = specific
	e.Untranslated = !known && (refused || len(read.texts) > 0)
	if known && op.conceals(specific) {
		e.Key = op.hides
	}
	return e
}

// conceals reports whether key is to be told under the row that op hides behind:
// what tells of an account and, where somebody signs in, every reason, under
// whatever status it came, for nobody is given one for an account that does not
// exist.
func (op operation) conceals(key fault.Key) bool {
	return op.hides == fault.SignInRefused || op.hides != "" && fault.Lookup(key).Private
}

// named reports whether the status alone says which thing does not exist, unless
// a text tells of the account.
func named(key fault.Key) bool {
	return key == fault.SignInUnknown || key == fault.AuthenticatorUnknown
}

// refusal is what is understood of an error's body.
type refusal struct {
	texts         []string
	number        int
	category      string
	uafStatusCode int
	command       string
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
	members := membersOf(said.Body)
	for _, name := range textMembers {
		r.say(textOf(members[name]))
		// Some gateways put the whole error into a member of that name.
		r.say(textOf(membersOf(members[name])["message"]))
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

// tolerant reads what a strict reader would refuse: members sent twice, and
// bytes that are not UTF-8.
var tolerant = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// membersOf reads the members of a JSON object, those before the break if it
// breaks off; of anything else there are none.
func membersOf(body []byte) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	d := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))), tolerant...)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return members
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return members
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return members
		}
		members[key] = value.Clone()
	}
	return members
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
