// Package fault is the catalogue of everything that can go wrong, and the error
// type that carries a row of it.
//
// One row per error: a stable key, the HTTP status, whether trying again can help,
// the severity in the log, and what the person can do. The sentences are in the
// language files under error.{key}.title, .message and .next. Translate finds the
// row of what the platform says, in words and numbers; Disclose decides who is told
// what. Package fault does not write responses; web does, in one place.
package fault

import (
	"errors"
	"net/http"
	"time"
)

// Error is an occurrence of a row of the catalogue. Its cause is for the log and is
// never shown.
type Error struct {
	// Key is the row as the call's contract promises it.
	Key Key
	// Specific is the row of what exactly happened, as the platform said it; ""
	// where Key says it all. Disclose decides who is told of it.
	Specific Key
	// Untranslated says that the platform gave a reason that no row is for.
	Untranslated bool
	// Command is the error command of the orchestration service, hex, for the
	// app to pass on to its SDK as it is; "" if none.
	Command string
	// Fields are the violations in the request's body or, by the name, in its parameters.
	Fields []Field
	// RetryAfter is when another try makes sense; zero where the row decides.
	RetryAfter time.Duration
	// UAFStatusCode is the FIDO UAF status code of the failure; zero if none.
	UAFStatusCode int
	// MessageKey is the signing platform's own name of the error, in the form
	// error.notFound.packageNotFound; "" if none.
	MessageKey string
	// UAF says that the error ends an exchange of FIDO UAF, whose clients expect a
	// status code.
	UAF bool
	// Proved says that whoever made the request has shown the right password, which
	// is refused all the same: why it is, they may know.
	Proved bool

	words   Key  // of the row whose sentences are told; "" for Key's own
	restart bool // the request cannot be sent again
	cause   error
}

// Field is one violation in a request.
type Field struct {
	// Pointer is an RFC 6901 JSON pointer into the body, "" for the whole, or / and the
	// name of a parameter.
	Pointer string `json:"pointer"`
	// Detail is the id of the sentence in the language files (field.…) until
	// web puts the sentence itself here.
	Detail string `json:"detail"`
}

// New is the error of row key without a cause.
func New(key Key) *Error { return &Error{Key: key} }

// Wrap is the error of row key, caused by cause. The cause reaches the log and
// errors.Is, never the reader.
func Wrap(key Key, cause error) *Error { return &Error{Key: key, cause: cause} }

// maxFields is how many fields an error names at most, so that a small request does
// not get a large answer.
const maxFields = 20

// Invalid is a request.invalid that names its fields, the first 20 at most.
func Invalid(fields ...Field) *Error {
	return &Error{Key: RequestInvalid, Fields: fields[:min(len(fields), maxFields)]}
}

// After sets when another try makes sense and returns e.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// WithKey returns a copy of e under the row of key: the same happened, and Disclose
// tells key's row where it conceals the specific one.
func (e *Error) WithKey(key Key) *Error {
	other := *e
	other.Key = key
	return &other
}

// Restart says that the request cannot be sent again, because what it carries is
// spent, and returns e. Where its row says to retry, the error then says to begin
// anew (ActionRestart), without Retry-After.
func (e *Error) Restart() *Error {
	e.restart = true
	return e
}

// RetrySeconds is when another try makes sense, in whole seconds for Retry-After: one
// second where the time is not known, zero where no other try makes sense.
func (e *Error) RetrySeconds() int {
	if e.restart {
		return 0
	}
	if e.RetryAfter > 0 {
		return int((e.RetryAfter + time.Second - 1) / time.Second)
	}
	if row := e.Row(); row.Retryable && row.Status >= 500 || row.Status == http.StatusTooManyRequests {
		return 1
	}
	return 0
}

// Error is for the log: the key, the specific one, and the cause.
func (e *Error) Error() string {
	text := string(e.Key)
	if e.Specific != "" && e.Specific != e.Key {
		text += " (" + string(e.Specific) + ")"
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Row returns the error's row of the catalogue.
func (e *Error) Row() Row {
	row := Lookup(e.Key)
	if specific, ok := byKey[e.words]; ok {
		row = row.refined(specific)
	}
	if e.restart && row.Retryable {
		row = row.restarted()
	}
	return row
}

// Exact returns the row of what exactly happened, for the log.
func (e *Error) Exact() Row {
	if row, ok := byKey[e.Specific]; ok {
		return row
	}
	return e.Row()
}

// Is reports whether err is, or wraps, an error of row key.
func Is(err error, key Key) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Key == key
}

// From returns the *Error in err's chain, or err as a server.internal, because an
// error without a row is a fault of ours.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(ServerInternal, err)
}
