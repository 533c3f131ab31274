// Package fault is the error catalogue, and decides what a client learns of an error.
//
// One row per error: a stable key, the HTTP status, whether a retry can help, the
// severity in the log, and the person's next step. The sentences are in the language
// files under error.{key}.title, .message and .next. Translate finds the row for the
// platform's texts and numbers; Disclose decides who can see which row. Package fault
// does not write responses; web does, in one place.
package fault

import (
	"errors"
	"net/http"
	"time"
)

// Error is an occurrence of a row of the catalogue. Its cause is for the log and is
// never shown.
type Error struct {
	// Key is the row that the call's contract promises.
	Key Key
	// Specific is the exact row, as the platform said it, or "" if Key is exact. Disclose
	// decides who can see it.
	Specific Key
	// Untranslated says that the platform gave an unknown reason.
	Untranslated bool
	// Command is the error command of the orchestration service, in hex, which the app
	// passes to its SDK unchanged, or "".
	Command string
	// Fields are the violations in the request's body or, by name, in its parameters.
	Fields []Field
	// Proofs are the proofs that signing.proof is about; nil for any other error.
	Proofs []Proof
	// Action replaces the row's action, where it depends on more than the row; "" does not.
	Action Action
	// RetryAfter is the wait before another try; zero leaves it to the row.
	RetryAfter time.Duration
	// UAFStatusCode is the FIDO UAF status code of the failure; zero if none.
	UAFStatusCode int
	// MessageKey is the signing platform's name of the error, such as
	// error.notFound.packageNotFound, or "".
	MessageKey string
	// UAF says that the error ends an exchange of FIDO UAF, whose clients expect a
	// status code.
	UAF bool
	// Proved says that the request carried the right password, which is refused all the
	// same: the client may know why.
	Proved bool

	words   Key  // row of the shown texts; "" for Key's own
	restart bool // the request cannot be sent again
	cause   error
}

// Field is one violation in a request.
type Field struct {
	// Pointer is an RFC 6901 JSON pointer into the body, "" for the whole, or / and the
	// name of a parameter.
	Pointer string `json:"pointer"`
	// Detail is a message id (field.…) until web replaces it by the sentence.
	Detail string `json:"detail"`
}

// Proof is a proof that a package asks of a signer.
type Proof struct {
	// Kind is passkey or identity.
	Kind string `json:"kind"`
	Met  bool   `json:"met"`
	// Reason is why it is not met: stale, erased, unnamed, other-name, failed, none, or of a passkey synced or unknown; ""
	// if it is.
	Reason string `json:"reason,omitempty"`
	// MaxAge limits the proof's age, in seconds.
	MaxAge int64 `json:"maxAge"`
}

// New returns the error of row key without a cause.
func New(key Key) *Error { return &Error{Key: key} }

// Wrap returns the error of row key, caused by cause. The cause reaches the log and
// errors.Is, never the client.
func Wrap(key Key, cause error) *Error { return &Error{Key: key, cause: cause} }

// maxFields limits the fields that an error names, so that a small request does not get a
// large answer.
const maxFields = 20

// Invalid returns request.invalid with its fields, the first 20 at most.
func Invalid(fields ...Field) *Error {
	return &Error{Key: RequestInvalid, Fields: fields[:min(len(fields), maxFields)]}
}

// After sets the wait before another try and returns e.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// WithKey returns a copy of e under the row of key, which Disclose shows if it conceals
// the specific row.
func (e *Error) WithKey(key Key) *Error {
	other := *e
	other.Key = key
	return &other
}

// Restart notes that the request cannot be sent again, because its ceremony is spent, and
// returns e. If its row says to retry, the error then says to begin again (ActionRestart),
// without Retry-After.
func (e *Error) Restart() *Error {
	e.restart = true
	return e
}

// RetrySeconds returns the wait before another try, in whole seconds for Retry-After: one
// second if the time is unknown, zero if a retry does not help.
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

// Error returns a text for the log: the key, the specific one, and the cause.
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
	if e.Action != "" {
		row.Action = e.Action
	}
	if e.restart && row.Retryable {
		row = row.restarted()
	}
	return row
}

// MostSpecific returns the exact row, for the log.
func (e *Error) MostSpecific() Row {
	if row, ok := byKey[e.Specific]; ok {
		return row
	}
	return e.Row()
}

// Is reports whether err is or wraps an error of row key.
func Is(err error, key Key) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Key == key
}

// From returns the *Error in err's chain. It returns any other err as a server.internal,
// because an error without a row is a bug of ours.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(ServerInternal, err)
}
