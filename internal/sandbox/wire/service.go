// Package wire is what every service of the sandbox platform shares: it finds
// the operation that a request asks for, reads the body, checks the credential,
// lets faults happen, writes the journal, and answers in JSON.
//
// It knows no endpoint. What an operation does, and how its errors look, is the
// service's: identity, signing or verification.
package wire

import (
	"net/http"
	"time"
)

// Service is one API of the platform.
type Service interface {
	// Routes are the operations of the API.
	Routes() []Route
	// Steering are the calls below /_manage/ that concern this service alone.
	Steering() []Route
	// Errors is how the service's refusals look.
	Errors() Errors
	// Reset puts everything back as at the start.
	Reset()
}

// Route is one operation of a service.
type Route struct {
	// Operation is the platform's name for the call, which faults and the journal
	// use; "" where it has none.
	Operation string
	Method    string
	// Path is a pattern of http.ServeMux. Its wildcard {user} is userID@domain.
	Path string
	Call Call
	// Release is the release whose errors the operation answers with unless a
	// fault names another one; "" is the service's usual form.
	Release string
	// BodyLimit is the largest body in bytes; zero is 1 MiB.
	BodyLimit int64
	// Admits lets a request pass that shows no API key, such as one of a signer's
	// session; nil lets none.
	Admits func(r *http.Request) bool
	// Credential judges what a request shows for itself, as Entry.Credential, and
	// refuses it with an error; nil is the platform's API key.
	Credential func(r *http.Request) (string, error)

	errors Errors // of its service
}

// Empty is a 200 without a body.
var Empty = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })

// Call answers one request, whose body is in memory and within the route's limit.
// The value it returns becomes a 200 in JSON, nil a 204, an *Error the service's
// error, and any other error a 500. A value that is an http.Handler answers
// itself.
type Call func(r *http.Request) (any, error)

// JSON is a call with a JSON body.
func JSON[T any](call func(r *http.Request, in T) (any, error)) Call {
	return func(r *http.Request) (any, error) {
		var in T
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		return call(r, in)
	}
}

// Errors is the form of the errors of one family of services.
type Errors interface {
	// Releases are the releases of the platform whose errors differ, the oldest
	// first; none where there is one form only.
	Releases() []string
	// Refusal is the error that operation answers with that message.
	Refusal(operation, message string) *Error
	// Body is e in JSON.
	Body(e *Error, c ErrorContext) any
}

// ErrorContext is what the form of an error may depend on.
type ErrorContext struct {
	Release       string    // one of Releases, or ""
	At            time.Time // on the platform's clock
	CorrelationID string    // the answer's Log-Correlation-Id
}
