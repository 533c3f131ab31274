package templates

import "time"

// Event is something that was done with a person's account.
type Event struct {
	// Kind is that of the audit trail, sign-in.accepted for one.
	Kind               string
	At                 time.Time
	UserAgent, Address string
	// Method is how the person signed in; empty for what is no sign-in.
	Method string
}

var eventIDs = map[string]string{
	"sign-in.accepted":           "page.event.signed-in",
	"sign-in.refused":            "page.event.refused",
	"sign-in.step-up":            "page.event.step-up",
	"session.signed-out":         "page.event.signed-out",
	"session.ended":              "page.event.session-ended",
	"authenticator.registered":   "page.event.registered",
	"authenticator.refused":      "page.event.registration-refused",
	"authenticator.renamed":      "page.event.renamed",
	"authenticator.removed":      "page.event.removed",
	"activation-password.issued": "page.event.activation-password",
	"transaction.confirmed":      "page.event.transaction-confirmed",
	"transaction.refused":        "page.event.transaction-refused",
}

// Event is what an event is called.
func (v view) Event(kind string) string {
	if id, ok := eventIDs[kind]; ok {
		return v.T(id)
	}
	return kind
}

// Method is what a way to sign in is called.
func (v view) Method(method string) string { return v.Methods([]string{method}) }
