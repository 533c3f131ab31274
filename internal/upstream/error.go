package upstream

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxErrorBody is how much of an error's body is kept: enough for the largest
	// command of the orchestration SDK that we take.
	maxErrorBody = 128 << 10
	// maxText is how much of one text of the platform goes into the log.
	maxText = 512
	// redacted stands in place of a secret.
	redacted = "[redacted]"
)

// Error is a response of the platform that is no success, in its own words: for
// the log and for the typed clients, never for a reader. Its shape is that of
// docs/platform.md I11, every part of which may be missing.
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
	// Body is the start of the body, at most 128 KiB, to be read and never to be
	// shown: secrets are redacted as we would spell them, but an echo may spell
	// them otherwise.
	Body []byte

	// hint describes a body in which nothing of the above was found.
	hint string
}

// Error is for the log: what the platform said or, if nothing was found in it, what
// kind of body it was.
func (e *Error) Error() string {
	said := []string{e.Code, e.Message}
	said = append(said, e.ValidationErrors...)
	said = withoutEmpty(said)
	if len(said) == 0 && e.hint != "" {
		said = []string{e.hint}
	}
	head := fmt.Sprintf("%s: the platform answered %d", e.Operation, e.Status)
	return strings.Join(append([]string{head}, said...), ": ")
}

// refusal reads the platform's error out of r. Whatever the body is (a page of a
// gateway, half a document, nothing), there is an *Error.
func (c *Client) refusal(call Call, r *response) *Error {
	secrets := c.redactor(call)
	e := &Error{Operation: call.Operation, Status: r.status, CorrelationID: r.correlation()}
	e.Body = []byte(secrets.Replace(string(r.body)))
	members := Members(r.body)
	e.Code = text(members["error"], secrets)
	e.Message = text(members["message"], secrets)
	for _, v := range elements(members["validationErrors"]) {
		if v.Kind() == '{' {
			v = Members(v)["message"]
		}
		e.ValidationErrors = append(e.ValidationErrors, text(v, secrets))
	}
	e.hint = hint(e.Body, len(call.Secrets) > 0)
	return e
}

// hint describes a body that is not the platform's error. The page of a gateway
// is shown; of JSON only the names of members, because there are too many ways to
// spell a secret in its strings; of the response to a call with secrets only the size.
func hint(body []byte, sensitive bool) string {
	body = bytes.TrimSpace(body)
	members := Members(body)
	switch {
	case len(body) == 0:
		return ""
	case sensitive, len(members) == 0 && bytes.ContainsAny(body[:1], `{["`):
		return fmt.Sprintf("a body of %d bytes", len(body))
	case len(members) > 0:
		names := slices.Sorted(maps.Keys(members))
		return fmt.Sprintf("an object with %.200q", names[:min(len(names), 8)])
	}
	return fmt.Sprintf("%.200q", body)
}

// Redact takes texts out of what the platform said, which may repeat what it was sent.
func (e *Error) Redact(texts []string) {
	secrets := replacer(texts)
	e.Code, e.Message, e.hint = secrets.Replace(e.Code), secrets.Replace(e.Message), secrets.Replace(e.hint)
	for i, text := range e.ValidationErrors {
		e.ValidationErrors[i] = secrets.Replace(text)
	}
	e.Body = []byte(secrets.Replace(string(e.Body)))
}

// redactor replaces every text that must not show.
func (c *Client) redactor(call Call) *strings.Replacer {
	return replacer(slices.Concat(c.secrets, call.Secrets))
}

// replacer replaces texts, the longest first, also as JSON and HTML would spell them.
func replacer(texts []string) *strings.Replacer {
	var pairs []string
	texts = withoutEmpty(slices.Clone(texts))
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range texts {
		quoted, _ := jsontext.AppendQuote(nil, secret)
		pairs = append(pairs, secret, redacted, string(quoted[1:len(quoted)-1]), redacted, html.EscapeString(secret), redacted)
	}
	return strings.NewReplacer(pairs...)
}

func withoutEmpty(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
