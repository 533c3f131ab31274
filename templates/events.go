package templates

import (
	"time"

	"countersign/internal/safetext"
)

// Event is an action on a person's account.
type Event struct {
	// Kind is the audit trail's kind, such as sign-in.accepted.
	Kind               string
	At                 time.Time
	UserAgent, Address string
	// Method is the way of signing in; empty for other actions.
	Method string
	// By names the person who acted, if it was another one, and Reason their own words. They are for
	// operators alone.
	By, Reason string
	// Unclear says that the platform did not say whether it was done.
	Unclear bool
}

var eventIDs = map[string]string{
	"sign-in.accepted":           "page.event.signed-in",
	"sign-in.refused":            "page.event.refused",
	"sign-in.step-up":            "page.event.step-up",
	"session.signed-out":         "page.event.signed-out",
	"session.ended":              "page.event.session-ended",
	"session.unproven":           "page.event.session-unproven",
	"authenticator.registered":   "page.event.registered",
	"authenticator.refused":      "page.event.registration-refused",
	"authenticator.renamed":      "page.event.renamed",
	"authenticator.removed":      "page.event.removed",
	"activation-password.issued": "page.event.activation-password",
	"transaction.confirmed":      "page.event.transaction-confirmed",
	"transaction.refused":        "page.event.transaction-refused",
	"account.ended":              "page.event.account-ended",
	"operator.ended":             "page.event.operator-ended",
	"operator.removed":           "page.event.operator-removed",
	"operator.unlocked":          "page.event.operator-unlocked",
	"operator.enabled":           "page.event.operator-enabled",
}

// Event returns the name of an event's kind.
func (v View) Event(kind string) string {
	if id, ok := eventIDs[kind]; ok {
		return v.T(id)
	}
	return safetext.Isolate(kind)
}

// Method returns the name of a way to sign in.
func (v View) Method(method string) string { return v.Methods([]string{method}) }
