package wire

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// Release is a release of the platform, where it decides the shape of errors.
type Release string

// The releases whose errors differ: numbers instead of some messages, the
// messages themselves, and the TrustedDeviceErrorOutputDto of the newer
// orchestration service (identity facts, 5.3).
const (
	Release22R3 Release = "22.R3"
	Release22R4 Release = "22.R4"
	Release24R2 Release = "24.R2"
)

// Releases are all of them, the oldest first.
var Releases = []Release{Release22R3, Release22R4, Release24R2}

// In is e as that release answers it, at a time of the platform's clock.
func (e *Error) In(release Release, at time.Time) *Error {
	spoken := *e
	spoken.release, spoken.at = release, at
	return &spoken
}

// InRelease is err, if it is one, as that release answers it.
func InRelease(err error, release Release, at time.Time) error {
	if err == nil {
		return nil
	}
	return AsError(err).In(release, at)
}

type dialectKey struct{}

type dialect struct {
	release Release
	at      time.Time
}

// WithRelease has the refusal of r, if it is refused, answered as that release
// does.
func WithRelease(r *http.Request, release Release, at time.Time) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), dialectKey{}, dialect{release, at}))
}

func (e *Error) asAskedFor(ctx context.Context) *Error {
	if asked, ok := ctx.Value(dialectKey{}).(dialect); ok {
		return e.In(asked.release, asked.at)
	}
	return e
}

// area is a category of the newer errors, with the code that the sandbox uses
// in it.
type area struct {
	category string
	code     int
}

// The areas. Of the codes only the first three are public; the others are the
// beginning of their category's range.
var (
	internalError  = area{"system", -1000}
	invalidInput   = area{"system", -1001}
	undecodable    = area{"system", -1002}
	user           = area{"user", -1100}
	provisioning   = area{"provisioning", -1200}
	authenticator  = area{"authenticator", -1300}
	session        = area{"session", -1400}
	authentication = area{"authentication", -1600}
	transaction    = area{"transaction", -1700}
)

func (e *Error) area() area {
	known, ok := messages[e.Message]
	switch {
	case ok:
		return known.area
	case e.Status < http.StatusInternalServerError:
		return invalidInput
	default:
		return internalError
	}
}

// trustedDevice is TrustedDeviceErrorOutputDto.
type trustedDevice struct {
	ErrorCategory    string      `json:"errorCategory"`
	ErrorCode        int         `json:"errorCode"`
	Message          string      `json:"message"`
	Command          string      `json:"command"`
	Service          string      `json:"service"`
	LogCorrelationID string      `json:"logCorrelationId"`
	Timestamp        time.Time   `json:"timestamp"`
	ValidationErrors []Violation `json:"validationErrors,omitempty"`
}

func (e *Error) trustedDevice(correlation string) trustedDevice {
	in := e.area()
	return trustedDevice{
		ErrorCategory: in.category, ErrorCode: in.code, Message: e.Message, Command: errorCommand(in.code, e.Message),
		Service: "trusted-device", LogCorrelationID: correlation, Timestamp: e.at.UTC(), ValidationErrors: e.Violations,
	}
}

// errorCommand is what the app hands to the orchestration SDK. The platform's is
// binary; the sandbox's says the same in its own language: JSON, in hex.
func errorCommand(code int, message string) string {
	text, _ := json.Marshal(struct { // A number and a string can be written.
		Command         string `json:"command"`
		ReturnCode      int    `json:"returnCode"`
		ReadableMessage string `json:"readableMessage"`
	}{"error", code, message})
	return hex.EncodeToString(text)
}
