package identity

import (
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// The releases with different errors: numbers instead of some messages, the messages
// themselves, and the TrustedDeviceErrorOutputDto of the newer orchestration service
// (docs/platform.md I13).
const (
	release22R3 = "22.R3"
	release22R4 = "22.R4"
	release24R2 = "24.R2"
)

// errorForm is the form of the identity platform's errors, with the differences between
// releases.
type errorForm struct{}

// Releases returns 22.R3, 22.R4 and 24.R2.
func (errorForm) Releases() []string { return []string{release22R3, release22R4, release24R2} }

// Refusal returns a system error as a 500, a user that does not exist as a 404, and any
// other message, even an unlisted one, as the 409 of a business error. Outside
// orchestration an invalid request id is a 409 (docs/platform.md I12).
func (errorForm) Refusal(operation, message string) *wire.Error {
	refusal := orchestrationError(message)
	if message == invalidRequestID && !slices.Contains([]string{"registerUser", "orchestrationCommands"}, operation) {
		refusal.Status = http.StatusConflict
	}
	return withDocumentedStatus(operation, refusal)
}

// orchestrationError returns the answer with that message for calls by which a device
// talks to the platform.
func orchestrationError(message string) *wire.Error {
	switch {
	case messages[message].system:
		return wire.Refuse(http.StatusInternalServerError, message)
	case message == userUnknown:
		return wire.Refuse(http.StatusNotFound, message)
	default:
		return wire.Conflict(message)
	}
}

// Body returns the error in the release's form.
func (errorForm) Body(e *wire.Error, c wire.ErrorContext) any {
	number := messages[e.Message].code
	switch {
	case c.Release == release24R2:
		return trustedDeviceError(e, c)
	case c.Release == release22R3 && number != 0:
		e = wire.Refuse(e.Status, codeMessages[number]).With("errorCode", number)
	}
	return newErrorOutput(e, c)
}

// trustedDevice is the TrustedDeviceErrorOutputDto.
type trustedDevice struct {
	ErrorCategory    string           `json:"errorCategory"`
	ErrorCode        int              `json:"errorCode"`
	Message          string           `json:"message"`
	Command          string           `json:"command"`
	Service          string           `json:"service"`
	LogCorrelationID string           `json:"logCorrelationId"`
	Timestamp        time.Time        `json:"timestamp"`
	ValidationErrors []wire.Violation `json:"validationErrors,omitempty"`
}

func trustedDeviceError(e *wire.Error, c wire.ErrorContext) trustedDevice {
	in := categoryOf(e)
	return trustedDevice{
		ErrorCategory: in.name, ErrorCode: in.code, Message: e.Message, Command: errorCommand(in.code, e.Message),
		Service: "trusted-device", LogCorrelationID: c.CorrelationID, Timestamp: c.At.UTC(), ValidationErrors: e.Violations,
	}
}

func categoryOf(e *wire.Error) category {
	known, ok := messages[e.Message]
	switch {
	case ok:
		return known.category
	case e.Status < http.StatusInternalServerError:
		return invalidInput
	default:
		return internalError
	}
}

// errorCommand returns the command that the app passes to the orchestration SDK. The
// platform's commands are binary; the sandbox's have the same content in a format of its
// own: JSON, in hex.
func errorCommand(code int, message string) string {
	text, _ := json.Marshal(struct { // A number and a string can be written.
		Command         string `json:"command"`
		ReturnCode      int    `json:"returnCode"`
		ReadableMessage string `json:"readableMessage"`
	}{"error", code, message})
	return hex.EncodeToString(text)
}
