package wire

import (
	"errors"
	"net/http"
)

// Error is an answer that refuses. Its JSON is up to the service's Errors; its
// cause is for the sandbox's log alone.
type Error struct {
	Status     int
	Message    string
	Violations []Violation
	// Members are what the JSON of this error has beyond the members that all of
	// its service's errors have.
	Members map[string]any

	cause error
}

// Violation is one rule that a request's body breaks. Field is the path of the
// member, dotted; "" is the whole body.
type Violation struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Refuse is the error of that status and message, the message verbatim.
func Refuse(status int, message string) *Error {
	return &Error{Status: status, Message: message}
}

// Conflict is a business error: 409.
func Conflict(message string) *Error { return Refuse(http.StatusConflict, message) }

// Invalid is the 400 that names what is wrong with a body.
func Invalid(violations ...Violation) *Error {
	return &Error{Status: http.StatusBadRequest, Message: "Input validation failed", Violations: violations}
}

// Because keeps the cause for the log and returns e.
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

// Error is for the log.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// AsError is err as the platform answers it: an *Error as it is, any other error
// a 500 that tells nothing.
func AsError(err error) *Error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return Refuse(http.StatusInternalServerError, "Internal error").Because(err)
}

// PlainErrors is the form that errors have where a service has none of its own:
// {status, error, message, validationErrors}.
type PlainErrors struct{}

// Releases is empty: there is one form.
func (PlainErrors) Releases() []string { return nil }

// Refusal is a 409 with that message.
func (PlainErrors) Refusal(_, message string) *Error { return Conflict(message) }

// Body has the reason of the status as error, and the message for people.
func (PlainErrors) Body(e *Error, _ ErrorContext) any {
	return struct {
		Status           int            `json:"status"`
		Error            string         `json:"error"`
		Message          string         `json:"message"`
		Members          map[string]any `json:",embed"`
		ValidationErrors []Violation    `json:"validationErrors,omitempty"`
	}{e.Status, http.StatusText(e.Status), e.Message, e.Members, e.Violations}
}
