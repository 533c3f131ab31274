package access

import (
	"fmt"

	"countersign/internal/audit"
)

// Actor asks for something within one request, through whatever door.
type Actor struct {
	Person
	// Session names the session, by which look-ups of strangers are counted.
	Session string
	// StepUp returns session.step-up unless the sign-in is fresh.
	StepUp func() error
	// Record writes an audit event of the request.
	Record func(audit.Event)
	// Log has the request's log line tell an error that its answer does not; nil is none.
	Log func(error)
}

// LogFailure has the request's log line tell what failed, unless err is nil, although the
// request is answered as done: the platform has done it, and the next read corrects what
// could not be told.
func (a Actor) LogFailure(doing string, err error) {
	if err != nil && a.Log != nil {
		a.Log(fmt.Errorf("%s: %w", doing, err))
	}
}
