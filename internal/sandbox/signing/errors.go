package signing

import (
	"net/http"
	"strings"

	"countersign/internal/sandbox/wire"
)

// messageKey is the member with an error's name: error, its class, and the detail
// (docs/platform.md S12).
const messageKey = "messageKey"

// The messages with public keys. The sandbox chose the keys of all others.
const (
	unassignedRole = "There is a role with no signer."
	unassigned     = "No role specified as part of this approval."
	noPermission   = "The required permission was not found."
	invalidComment = "Invalid comment provided. Please provide a valid comment."
)

// keyed are the errors that are found by their message.
var keyed = map[string]struct {
	status int
	key    string
}{
	unassignedRole: {http.StatusBadRequest, "error.validation.packageActivation.unassignedRole"},
	invalidComment: {http.StatusBadRequest, "error.validation.optOut.invalidComment"},
	noPermission:   {http.StatusForbidden, "error.forbidden.noPermission"},
	unassigned:     {http.StatusBadRequest, "error.validation.validateApproval.noRolesOnApproval"},
}

// classes are the title and the key of each status.
var classes = map[int]struct{ name, key string }{
	http.StatusBadRequest:            {"Validation Error", "error.validation.payload.invalid"},
	http.StatusUnauthorized:          {"Unauthorized", "error.unauthorized.invalidCredentials"},
	http.StatusForbidden:             {"Access Denied", "error.forbidden.noPermission"},
	http.StatusNotFound:              {"Resource Not Found", "error.notFound.resourceNotFound"},
	http.StatusRequestEntityTooLarge: {"Request Entity Too Large", "error.validation.payload.tooLarge"},
	http.StatusUnprocessableEntity:   {"Unprocessable Entity", "error.unprocessableEntity.payload.invalid"},
}

// errorForm is the form {code, messageKey, message, name, technical}.
type errorForm struct{ wire.PlainErrors }

// Refusal returns the error of that message, as a 400 if it is unknown.
func (errorForm) Refusal(_, message string) *wire.Error { return refuse(message) }

// Body returns the JSON with the status as code, and the violations as technical.
func (errorForm) Body(e *wire.Error, _ wire.ErrorContext) any {
	class := classes[e.Status]
	if class.name == "" {
		class.name, class.key = http.StatusText(e.Status), "error.unexpected.platformError"
	}
	if key, ok := e.Members[messageKey].(string); ok {
		class.key = key
	}
	return struct {
		Code       int    `json:"code"`
		MessageKey string `json:"messageKey"`
		Message    string `json:"message"`
		Name       string `json:"name"`
		Technical  string `json:"technical,omitempty"`
	}{e.Status, class.key, e.Message, class.name, technical(e.Violations)}
}

func technical(violations []wire.Violation) string {
	var lines []string
	for _, v := range violations {
		lines = append(lines, strings.TrimSpace(v.Field+" "+v.Message))
	}
	return strings.Join(lines, "; ")
}

// refuse returns the error of a message, with its key.
func refuse(message string) *wire.Error {
	known, ok := keyed[message]
	if !ok {
		return wire.Refuse(http.StatusBadRequest, message)
	}
	return wire.Refuse(known.status, message).With(messageKey, known.key)
}

// invalidState refuses an action that the package's status does not allow.
func invalidState(message string) *wire.Error {
	return wire.Refuse(http.StatusBadRequest, message).With(messageKey, "error.validation.package.invalidState")
}

// unknown returns the 404 for a package, role, document or the like.
func unknown(what string) *wire.Error {
	return wire.Refuse(http.StatusNotFound, "The specified "+what+" was not found.").
		With(messageKey, "error.notFound."+what+"NotFound")
}
