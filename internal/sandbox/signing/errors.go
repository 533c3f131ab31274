package signing

import (
	"net/http"
	"strings"

	"countersign/internal/sandbox/wire"
)

// messageKey is the member of an error that names it: error, its class, and what
// is wrong (docs/platform.md S12).
const messageKey = "messageKey"

// The messages whose keys are public. The keys of all others are the sandbox's
// own choice.
const (
	unassignedRole = "There is a role with no signer."
	unassigned     = "No role specified as part of this approval."
	noPermission   = "The required permission was not found."
	invalidComment = "Invalid comment provided. Please provide a valid comment."
)

// keyed are the errors that are known by their message.
var keyed = map[string]struct {
	status int
	key    string
}{
	unassignedRole: {http.StatusBadRequest, "error.validation.packageActivation.unassignedRole"},
	invalidComment: {http.StatusBadRequest, "error.validation.optOut.invalidComment"},
	noPermission:   {http.StatusForbidden, "error.forbidden.noPermission"},
	unassigned:     {http.StatusBadRequest, "error.validation.validateApproval.noRolesOnApproval"},
}

// classes are title and key of the errors of a status.
var classes = map[int]struct{ name, key string }{
	http.StatusBadRequest:            {"Validation Error", "error.validation.payload.invalid"},
	http.StatusUnauthorized:          {"Unauthorized", "error.unauthorized.invalidCredentials"},
	http.StatusForbidden:             {"Access Denied", "error.forbidden.noPermission"},
	http.StatusNotFound:              {"Resource Not Found", "error.notFound.resourceNotFound"},
	http.StatusRequestEntityTooLarge: {"Request Entity Too Large", "error.validation.payload.tooLarge"},
	http.StatusUnprocessableEntity:   {"Unprocessable Entity", "error.unprocessableEntity.payload.invalid"},
}

// errorForm is {code, messageKey, message, name, technical}.
type errorForm struct{ wire.PlainErrors }

// Refusal is the error of that message, a 400 where it is not known.
func (errorForm) Refusal(_, message string) *wire.Error { return refuse(message) }

// Body has the status as code, and the violations as technical.
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

// refuse is the error of a message, with the key that belongs to it.
func refuse(message string) *wire.Error {
	known, ok := keyed[message]
	if !ok {
		return wire.Refuse(http.StatusBadRequest, message)
	}
	return wire.Refuse(known.status, message).With(messageKey, known.key)
}

// invalidState refuses what the package's status does not allow.
func invalidState(message string) *wire.Error {
	return wire.Refuse(http.StatusBadRequest, message).With(messageKey, "error.validation.package.invalidState")
}

// unknown is the 404 of a package, role, document or the like.
func unknown(what string) *wire.Error {
	return wire.Refuse(http.StatusNotFound, "The specified "+what+" was not found.").
		With(messageKey, "error.notFound."+what+"NotFound")
}
