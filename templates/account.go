package templates

import (
	"slices"
	"time"
)

// Account is "/account". Its forms post urlencoded there:
//
//	action=activation-password
//	action=end-session  id
//	action=end-others
//	action=language     language, ticket
//	action=mails        packages, notices, ticket
//	action=sign-out                  (from the head of every page)
type Account struct {
	Common
	Email string
	// NoPasskey asks the person to create a passkey.
	NoPasskey bool
	// StepUp says that the sign-in is too old to ask for an activation password.
	StepUp bool
	// ActivationPassword is the requested activation password, to be copied by eye.
	ActivationPassword string
	// Activation is how the activation of the person's device stands: unknown, pending,
	// activated, timeout, or ActivationAway; "" if the page does not show it.
	Activation string
	Sessions   []Session
	// Languages are the language tags to choose from, and Chosen is the one that is.
	Languages []string
	Chosen    string
	// Ticket keeps a form that is sent after the session has ended.
	Ticket string
	// Mails is nil if this installation sends no e-mails.
	Mails *Mails
	// Events are the last actions on the account, the newest first.
	Events []Event
}

// lastEvents is the number of events that are shown at once.
const lastEvents = 5

// LastEvents returns the events that are shown at once, OlderEvents the others.
func (p Account) LastEvents() []Event { return p.Events[:min(lastEvents, len(p.Events))] }

// OlderEvents returns the events that are shown when they are asked for.
func (p Account) OlderEvents() []Event { return p.Events[min(lastEvents, len(p.Events)):] }

// Mails are the e-mails that the person gets.
type Mails struct {
	// Packages says that they are told what became of their packages.
	Packages bool
	// Language is the language chosen for e-mails, PageLanguage the one chosen last for
	// pages; "" if none was chosen.
	Language, PageLanguage string
}

// Session is one of the person's sessions.
type Session struct {
	ID                    string
	Current               bool
	CreatedAt, LastUsedAt time.Time
	UserAgent, Address    string
	Methods               []string
	// Bound says that the session is bound to a key of its device.
	Bound bool
}

// Others reports whether there is a session besides the current one.
func (p Account) Others() bool {
	return slices.ContainsFunc(p.Sessions, func(s Session) bool { return !s.Current })
}
