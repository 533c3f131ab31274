package platform

import (
	"errors"
	"net/http"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/upstream"
)

// stateKeys match the message keys about the package's status, stateTexts such messages:
// the platform answers 400 to what the status does not allow.
var (
	stateKeys  = regexp.MustCompile(`^error\.validation\.(packageActivation\b|.*\b(invalidState|invalidStatus|notDraft)$)`)
	stateTexts = regexp.MustCompile(`(?i)\bnot (a|in) draft\b|\bmust be (a |in )?draft\b`)
)

// refusalKey returns the fault for a refusal by the platform: the one for its status in
// op, or signing.state if a 400 or 422 is about the package's status.
func refusalKey(op upstream.Operation, said *upstream.Error) fault.Key {
	key, listed := op.Refusals[said.Status]
	if !listed { // a status that the API is not known to have
		return fault.SigningRefused
	}
	if key == fault.SigningInvalid && (stateKeys.MatchString(messageKey(said)) || stateTexts.MatchString(said.Message)) {
		return fault.SigningState
	}
	return key
}

// messageKeys is compiled when the platform first refuses something, since its counts
// make it large.
var messageKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^error(\.[A-Za-z0-9]{1,64}){2,6}$`) })

// messageKey returns the platform's name of an error (docs/platform.md S12), or "" if it
// is missing or not of a form like error.notFound.packageNotFound.
func messageKey(said *upstream.Error) string {
	value := payload.Members(said.Body)["messageKey"]
	if value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil || !messageKeys().Match(text) {
		return ""
	}
	return string(text)
}

// hasErrorForm reports whether the platform's errors look so (docs/platform.md S12): code
// and messageKey, one of which is enough.
func hasErrorForm(said *upstream.Error) bool {
	members := payload.Members(said.Body)
	code, key := members["code"].Kind(), members["messageKey"].Kind()
	return code == '0' || code == '"' || key == '"'
}

// Translate turns a refusal by the platform into the fault for op, with the platform's
// message key if it is well-formed. The platform's error stays the cause; other errors
// are returned as they are. An answer that is not the platform's is none of its refusals:
// upstream.Error.Foreign, or a 404 or 410 in another form than its errors have.
func Translate(op upstream.Operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	isRefusal := fault.Is(err, fault.PlatformRefused) || ok && said.Status == http.StatusForbidden && !said.Foreign
	if !ok || !isRefusal {
		return err
	}
	if (said.Status == http.StatusNotFound || said.Status == http.StatusGone) && !hasErrorForm(said) {
		return fault.Wrap(fault.PlatformFailed, said)
	}
	refusal := fault.Wrap(refusalKey(op, said), said)
	refusal.MessageKey = messageKey(said)
	return refusal
}
