package manage

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"countersign/internal/sandbox/wire"
)

// faultInput requests that the next calls of an operation fail.
type faultInput struct {
	Operation string            `json:"operation"`
	Times     *int              `json:"times"`
	Delay     *string           `json:"delay"`
	Status    *int              `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      jsontext.Value    `json:"body"`
	Error     *string           `json:"error"`
	Release   *string           `json:"release"`
	Cut       *int              `json:"cut"`
}

func (in faultInput) checkReply(rules *wire.Rules) {
	for name, value := range in.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			rules.Broken("headers", "must be header names and their values")
		}
	}
	wire.Between(rules, "status", in.Status, 200, 599)
	if in.Error != nil && in.hasBody() {
		rules.Broken("error", "and body exclude each other")
	}
}

func (in faultInput) checkRelease(rules *wire.Rules, releases []string) {
	switch {
	case in.Error == nil && (in.Status != nil || in.hasBody()):
		rules.Broken("release", "goes with error, or with the operation's own errors")
	case !slices.Contains(releases, *in.Release):
		rules.Broken("release", "must be one of "+strings.Join(releases, ", "))
	}
}

// hasBody reports whether a body was given, even "".
func (in faultInput) hasBody() bool { return wire.Given(in.Body) }

// reply returns the reply that replaces the operation's own answer, or nil if none was
// requested. A status alone answers with an error of that status from 400 on, and with an
// empty body below.
func (in faultInput) reply(form wire.Errors) *wire.Reply {
	switch {
	case in.Error != nil:
		refusal := form.Refusal(in.Operation, *in.Error)
		wire.Set(&refusal.Status, in.Status)
		return &wire.Reply{Error: refusal}
	case in.hasBody():
		reply := &wire.Reply{Status: http.StatusOK, Body: in.Body, Media: "application/json"}
		wire.Set(&reply.Status, in.Status)
		if in.Body.Kind() == '"' {
			reply.Media = "text/plain; charset=utf-8"
			reply.Body, _ = jsontext.AppendUnquote(nil, in.Body) // the decoder has checked that it is a string
		}
		return reply
	case in.Status == nil:
		return nil
	case *in.Status >= http.StatusBadRequest:
		return &wire.Reply{Error: wire.Refuse(*in.Status, http.StatusText(*in.Status))}
	default:
		return &wire.Reply{Status: *in.Status}
	}
}
