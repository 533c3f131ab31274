package wire

import (
	"net/http"
	"time"
)

// Error is an answer of the platform that refuses: {status, error, message,
// validationErrors, uafStatusCode}, or in the shape of another release. Its
// cause is for the sandbox's log alone.
type Error struct {
	Status     int
	Message    string
	Violations []Violation
	// UAFStatus is the UAF status code of a UAF call's refusal; zero is none.
	UAFStatus int

	release Release // "": as 22.R4 does
	at      time.Time
	cause   error
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

// Error is for the log.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// WriteError answers with e in the shape that clients of the platform parse:
// error is the status's reason, message is for people.
func WriteError(w http.ResponseWriter, e *Error) {
	if e.release == Release24R2 {
		WriteJSON(w, e.Status, e.trustedDevice(w.Header().Get(CorrelationHeader)))
		return
	}
	code, message := 0, e.Message
	if number := messages[e.Message].code; e.release == Release22R3 && number != 0 {
		code, message = number, codeMessages[number]
	}
	WriteJSON(w, e.Status, struct {
		Status           int         `json:"status"`
		Error            string      `json:"error"`
		Message          string      `json:"message"`
		ErrorCode        int         `json:"errorCode,omitzero"`
		UAFStatusCode    int         `json:"uafStatusCode,omitzero"`
		ValidationErrors []Violation `json:"validationErrors,omitempty"`
	}{e.Status, http.StatusText(e.Status), message, code, e.UAFStatus, e.Violations})
}
