package signing

import (
	"errors"
	"net/http"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// stateKeys are the message keys that tell of the package's status, stateTexts the
// messages: the platform refuses with 400 what the status does not allow.
var (
	stateKeys  = regexp.MustCompile(`^error\.validation\.(packageActivation\b|.*\b(invalidState|invalidStatus|notDraft)$)`)
	stateTexts = regexp.MustCompile(`(?i)\bnot (a|in) draft\b|\bmust be (a |in )?draft\b`)
)

// refused is the row of the catalogue for what the platform said no to: that of
// the status in op, or signing.state where a 400 or 422 tells of the package's
// status.
func refused(op upstream.Operation, said *upstream.Error) fault.Key {
	key := op.ByStatus(said.Status)
	if key == fault.PlatformRefused { // a status that the API is not known to have
		return fault.SigningRefused
	}
	if key == fault.SigningInvalid && (stateKeys.MatchString(messageKey(said)) || stateTexts.MatchString(said.Message)) {
		return fault.SigningState
	}
	return key
}

// messageKeys is compiled when the platform first refuses something: its counts make
// it large.
var messageKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^error(\.[A-Za-z0-9]{1,64}){2,6}$`) })

// messageKey is the platform's own name of an error (docs/platform.md S12), or "" where
// there is none or it has another form than error.notFound.packageNotFound.
func messageKey(said *upstream.Error) string {
	value := upstream.Members(said.Body)["messageKey"]
	if value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil || !messageKeys().Match(text) {
		return ""
	}
	return string(text)
}

// Translate gives a refusal of op the row that it has here, and its message key where
// that has the form of one. What the platform said stays the cause.
func Translate(op upstream.Operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	isRefusal := fault.Is(err, fault.PlatformRefused) || ok && said.Status == http.StatusForbidden
	if !ok || !isRefusal {
		return err
	}
	refusal := fault.Wrap(refused(op, said), said)
	refusal.MessageKey = messageKey(said)
	return refusal
}
