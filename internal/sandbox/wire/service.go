// Package wire is shared by the sandbox's services: routes, bodies, credentials, faults,
// journal.
//
// It knows no endpoint. The services (identity, signing or verification) decide what an
// operation does and how its errors look.
package wire

import (
	"net/http"
	"time"
)

// Service is one API of the platform.
type Service interface {
	// Routes returns the operations of the API.
	Routes() []Route
	// Management returns this service's own calls below /_manage/.
	Management() []Route
	// Errors returns the form of the service's refusals.
	Errors() Errors
	// Reset restores the initial state.
	Reset()
}

// Held is something that a service keeps, as people see it.
type Held struct {
	State, ID, Name string
	Since           time.Time // its creation
}

// Route is one operation of a service.
type Route struct {
	// Operation is the platform's name of the operation for faults and the journal, or
	// "".
	Operation string
	Method    string
	// Path is a pattern of http.ServeMux. Its wildcard {user} is userID@domain.
	Path string
	Call Call
	// Release is the release whose error form the operation uses unless a fault names
	// another one; "" is the service's usual form.
	Release string
	// BodyLimit limits the body in bytes; zero stands for 1 MiB.
	BodyLimit int64
	// Admits lets requests without a credential pass, such as those of a signer's session;
	// nil lets none pass.
	Admits func(r *http.Request) bool
	// Credential returns the kind of a request's credential, as in Entry.Credential, and
	// an error to refuse it; nil checks the platform's API key.
	Credential func(r *http.Request) (string, error)

	errors Errors // of its service
}

// Empty is an answer without a body: 200.
type Empty struct{}

// ServeHTTP answers 200.
func (Empty) ServeHTTP(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// Call answers one request, whose body is in memory and within the route's limit. The
// returned value becomes a 200 in JSON, nil a 204, an *Error the service's error, and any
// other error a 500. A value that is an http.Handler writes the answer itself.
type Call func(r *http.Request) (any, error)

// Do returns a command: a call that acts, and answers 204.
func Do(act func()) Call {
	return func(*http.Request) (any, error) {
		act()
		return nil, nil
	}
}

// JSON returns a call with a JSON body.
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
	// Releases returns the releases of the platform with different errors, the oldest
	// first, or none if there is only one form.
	Releases() []string
	// Refusal returns the operation's error with that message.
	Refusal(operation, message string) *Error
	// Body returns e in JSON.
	Body(e *Error, c ErrorContext) any
}

// ErrorContext holds the values on which the form of an error may depend.
type ErrorContext struct {
	Operation     string    // its name; "" where no operation was found
	Release       string    // one of Releases, or ""
	At            time.Time // on the platform's clock
	CorrelationID string    // the answer's Log-Correlation-Id
}
