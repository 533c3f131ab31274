package wire

import (
	"errors"
	"net/http"
)

// Error is a refusal. The service's Errors decides its JSON; its cause is for the
// sandbox's log alone.
type Error struct {
	Status     int
	Message    string
	Violations []Violation
	// Members are additional members in the JSON of this error.
	Members map[string]any

	cause error
}

// Violation is one rule that a request's body breaks. Field is the dotted path of the
// member; "" is the whole body.
type Violation struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Refuse returns the error of that status and message, the message verbatim.
func Refuse(status int, message string) *Error {
	return &Error{Status: status, Message: message}
}

// Conflict returns a business error: 409.
func Conflict(message string) *Error { return Refuse(http.StatusConflict, message) }

// Invalid returns the 400 that names the violations of a body.
func Invalid(violations ...Violation) *Error {
	return &Error{Status: http.StatusBadRequest, Message: "Input validation failed", Violations: violations}
}

// Because sets the cause for the log and returns e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// With gives e one more member and returns it.
func (e *Error) With(name string, value any) *Error {
	if e.Members == nil {
		e.Members = map[string]any{}
	}
	e.Members[name] = value
	return e
}

// Error returns a text for the log.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// AsError returns err as the platform answers it: an *Error unchanged, any other error as
// a 500 without details.
func AsError(err error) *Error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return Refuse(http.StatusInternalServerError, "Internal error").Because(err)
}

// PlainErrors is the default form of errors: {status, error, message, validationErrors}.
type PlainErrors struct{}

// Releases returns none: there is one form.
func (PlainErrors) Releases() []string { return nil }

// Refusal returns a 409 with that message.
func (PlainErrors) Refusal(_, message string) *Error { return Conflict(message) }

// Body returns the JSON with the status's reason as error, and the message for people.
func (PlainErrors) Body(e *Error, _ ErrorContext) any {
	return struct {
		Status           int            `json:"status"`
		Error            string         `json:"error"`
		Message          string         `json:"message"`
		Members          map[string]any `json:",embed"`
		ValidationErrors []Violation    `json:"validationErrors,omitempty"`
	}{e.Status, http.StatusText(e.Status), e.Message, e.Members, e.Violations}
}
