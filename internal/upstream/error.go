package upstream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxErrorBody is how much of an error's body is kept.
	maxErrorBody = 16 << 10
	// maxText is how much of one text of the platform goes into the log.
	maxText = 512
	// blot stands where a secret stood.
	blot = "[redacted]"
)

// Error is an answer of the platform that is no success, as it said it: for the
// log and for the typed clients, never for a reader. Its shape is that of
// section 5.1 of the identity facts, every part of which may be missing.
type Error struct {
	// Operation is the call's; Status the HTTP status.
	Operation string
	Status    int
	// Code is the member error, such as "Conflict"; Message the member message.
	Code, Message string
	// ValidationErrors are the messages of the member of that name.
	ValidationErrors []string
	// CorrelationID is the platform's name for the exchange.
	CorrelationID string
	// Body is the start of the body, at most 16 KiB, secrets blotted out.
	Body []byte
}

// Error is for the log: what was said or, if that was not understood, how it
// began.
func (e *Error) Error() string {
	said := []string{e.Code, e.Message}
	said = append(said, e.ValidationErrors...)
	said = withoutEmpty(said)
	if len(said) == 0 && len(e.Body) > 0 {
		said = []string{fmt.Sprintf("%.200q", e.Body)}
	}
	head := fmt.Sprintf("%s: the platform answered %d", e.Operation, e.Status)
	return strings.Join(append([]string{head}, said...), ": ")
}

// refusal reads the platform's error out of a. Whatever the body is, a page of
// a gateway, half a document, nothing, there is an *Error.
func (c *Client) refusal(call Call, a *answer) *Error {
	secrets := c.blotted(call)
	e := &Error{Operation: call.Operation, Status: a.status, CorrelationID: a.correlation()}
	e.Body = []byte(redact(string(a.body), secrets))
	members := readMembers(a.body)
	e.Code = text(members["error"], secrets)
	e.Message = text(members["message"], secrets)
	for _, v := range elements(members["validationErrors"]) {
		if v.Kind() == '{' {
			v = readMembers(v)["message"]
		}
		e.ValidationErrors = append(e.ValidationErrors, text(v, secrets))
	}
	return e
}

// blotted is every text that must not show, also as JSON would spell it.
func (c *Client) blotted(call Call) []string {
	var all []string
	for _, secret := range withoutEmpty(slices.Concat(c.secrets, call.Secrets)) {
		quoted, _ := jsontext.AppendQuote(nil, secret)
		all = append(all, secret, string(quoted[1:len(quoted)-1]))
	}
	return all
}

// tolerant reads what a strict reader would refuse: Latin-1 in a document that
// claims to be JSON, members sent twice.
var tolerant = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// readMembers reads the members of a JSON object, those before the break if it
// breaks off.
func readMembers(body []byte) map[string]jsontext.Value {
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

// elements reads the elements of a JSON array, at most the first eight.
func elements(array jsontext.Value) []jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(array), tolerant...)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
		return nil
	}
	var all []jsontext.Value
	for len(all) < 8 && d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			break
		}
		all = append(all, v.Clone())
	}
	return all
}

// text is the Go string of a JSON string, without secrets and shortened;
// anything else is empty. Bytes that are not UTF-8 are replaced.
func text(v jsontext.Value, secrets []string) string {
	if v.Kind() != '"' {
		return ""
	}
	unquoted, _ := jsontext.AppendUnquote(nil, v)
	said := redact(string(unquoted), secrets)
	if len(said) > maxText {
		said = strings.ToValidUTF8(said[:maxText], "") + "…"
	}
	return said
}

func redact(s string, secrets []string) string {
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, blot)
	}
	return s
}

func withoutEmpty(all []string) []string {
	kept := all[:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}
