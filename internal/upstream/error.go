package upstream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/reqctx"
)

const (
	// maxErrorBody limits how much of an error's body is kept: enough for the largest
	// command of the orchestration SDK that we accept.
	maxErrorBody = 128 << 10
	// maxText limits how much of one text of the platform goes into the log.
	maxText = 512
	// redacted replaces a secret.
	redacted = "[redacted]"
)

// Error is an error response of the platform, in its own words: for the log and for the
// typed clients, never for people. Its shape is docs/platform.md I11, and any part of it
// may be missing.
type Error struct {
	// Operation is the call's, and Status the HTTP status.
	Operation string
	Status    int
	// Code is the member error, such as "Conflict"; Message the member message.
	Code, Message string
	// ValidationErrors are the messages of the member of that name.
	ValidationErrors []string
	// CorrelationID is the platform's id of the exchange.
	CorrelationID string
	// Body is the start of the body, at most 128 KiB, for reading and never for showing:
	// secrets are redacted in our spelling, but an echo may spell them otherwise.
	Body []byte
	// Foreign says that the answer does not come from the platform's API, whatever its
	// status: see isForeign.
	Foreign bool

	// hint describes a body in which none of the above was found.
	hint string
}

// Error returns a text for the log: the platform's message or, if the body has none, a
// description of the body.
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

// refusal returns the platform's error in r, for any body: a gateway's page, half a
// document, or nothing. It keeps the correlation in it for our log.
func (c *Client) refusal(ctx context.Context, call Call, r *response) *Error {
	secrets := c.redactor(call)
	e := &Error{Operation: call.Operation, Status: r.status, CorrelationID: r.correlation(), Foreign: r.isForeign()}
	e.Body = []byte(secrets.Replace(string(r.body)))
	members := payload.Members(r.body)
	e.Code = text(members["error"], secrets)
	e.Message = text(members["message"], secrets)
	if id := correlationIn(members); id != "" && id != e.CorrelationID && secrets.Replace(id) == id {
		e.CorrelationID = cmp.Or(e.CorrelationID, id)
		reqctx.From(ctx).NoteCorrelation(id)
	}
	for _, v := range elements(members["validationErrors"]) {
		if v.Kind() == '{' {
			v = payload.Members(v)["message"]
		}
		e.ValidationErrors = append(e.ValidationErrors, text(v, secrets))
	}
	e.hint = hint(e.Body, len(call.Secrets) > 0)
	return e
}

// correlationWord is an id that has one spelling only, so that it cannot hold a secret in
// another.
var correlationWord = regexp.MustCompile(`^"[A-Za-z0-9_-]{1,64}"$`)

// correlationIn returns the platform's id of the exchange from an error's body, in either of
// its spellings; "" if it gives none.
func correlationIn(members map[string]jsontext.Value) string {
	for _, name := range []string{"logCorrelationID", "logCorrelationId"} {
		if correlationWord.Match(members[name]) {
			return strings.Trim(string(members[name]), `"`)
		}
	}
	return ""
}

// elements reads the elements of a JSON array, at most the first eight.
func elements(array jsontext.Value) []jsontext.Value {
	if array.Kind() != '[' {
		return nil
	}
	var all []jsontext.Value
	for p, err := range payload.Parts(array, payload.Tolerant()) {
		if err != nil || len(all) == 8 {
			break
		}
		all = append(all, p.Value.Clone())
	}
	return all
}

// text returns the Go string of a JSON string, shortened and without secrets; for
// anything else it returns "". Bytes that are not UTF-8 are replaced.
func text(v jsontext.Value, secrets *strings.Replacer) string {
	if v.Kind() != '"' {
		return ""
	}
	unquoted, _ := jsontext.AppendUnquote(nil, v)
	said := secrets.Replace(string(unquoted))
	if len(said) > maxText {
		said = strings.ToValidUTF8(said[:maxText], "") + "…"
	}
	return said
}

// hint describes a body that is not the platform's error. It quotes a gateway's page; of
// JSON it names only the members, because a secret can be spelt in too many ways; of the
// response to a call with secrets it tells only the size.
func hint(body []byte, sensitive bool) string {
	body = bytes.TrimSpace(body)
	members := payload.Members(body)
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

// Redact removes texts from the platform's words, which may repeat what it was sent.
func (e *Error) Redact(texts []string) {
	secrets := replacer(texts)
	e.Code, e.Message, e.hint = secrets.Replace(e.Code), secrets.Replace(e.Message), secrets.Replace(e.hint)
	for i, text := range e.ValidationErrors {
		e.ValidationErrors[i] = secrets.Replace(text)
	}
	e.Body = []byte(secrets.Replace(string(e.Body)))
}

// redactor returns a replacer of the texts that must not show.
func (c *Client) redactor(call Call) *strings.Replacer {
	return replacer(slices.Concat(c.access.Load().secrets, call.Secrets, credentialParts(call.authorization)))
}

// replacer returns a replacer of texts, the longest first, also in their JSON and HTML
// spelling.
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
