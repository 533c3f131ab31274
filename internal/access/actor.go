package access

import (
	"fmt"

	"countersign/internal/audit"
	"countersign/session"
)

// Actor is the user who makes one request, by JSON or on a page.
type Actor struct {
	Person
	// Name is the display name of the person's account; "" if it has none. It is no
	// e-mail address.
	Name string
	// Session names the session, by which look-ups of other people's packages are counted.
	Session string
	// Passkey is the last sign-in by a passkey in the session; nil if there was none.
	Passkey *session.Passkey
	// Changing says that the request is to change something. What an operator reads for that
	// is not recorded, since the change is.
	Changing bool
	Journal
}

// Journal is the request of an actor: how they signed in, its audit events, its line of the log.
type Journal interface {
	// StepUp returns session.step-up unless the sign-in is fresh.
	StepUp() error
	// Record writes an audit event.
	Record(e audit.Event)
	// RecordFirst writes an audit event that must be written before anything follows from it;
	// the error says that it was not.
	RecordFirst(e audit.Event) error
	// Log has the line of the log tell an error that the answer does not.
	Log(err error)
}

// LogFailure has the request's log line tell what failed, unless err is nil, although the
// request is answered as done: the platform has done it, and the next read corrects what
// could not be told.
func (a Actor) LogFailure(doing string, err error) {
	if err != nil {
		a.Log(fmt.Errorf("%s: %w", doing, err))
	}
}

// Reads records that the actor, an operator, reads what is owner's: the object subject, by
// the platform's name of the operation. owner is the user or the e-mail address, or "" if
// that is not known or there are several. Nothing is recorded of other actors, and of what
// is the operator's own.
func (a Actor) Reads(operation, subject, owner string) {
	if !a.Operator || a.Changing || owner != "" && (owner == a.User || owner == a.Email) {
		return
	}
	a.Record(audit.Event{Kind: audit.OperatorRead, Operation: operation, Subject: subject, OnBehalfOf: owner})
}
