package fault

import (
	"cmp"
	"log/slog"
	"slices"
)

// Key names a row of the catalogue. It is stable: the last part of a problem's type,
// and of the path of its help page under /errors/.
type Key string

// Action is a client's further step after an error.
type Action string

// The actions of problem+json's action member.
const (
	// ActionRetry sends the same request again.
	ActionRetry Action = "retry"
	// ActionRestart begins the ceremony, activation or transaction again.
	ActionRestart Action = "restart"
	// ActionSignIn signs in, or signs in again.
	ActionSignIn Action = "sign-in"
	// ActionConfirm repeats the request with the person's confirmation.
	ActionConfirm Action = "confirm"
	// ActionNewActivationPassword asks for a new activation password.
	ActionNewActivationPassword Action = "new-activation-password"
	// ActionOtherAuthenticator uses or registers another authenticator.
	ActionOtherAuthenticator Action = "other-authenticator"
	// ActionChangePassword changes the static password.
	ActionChangePassword Action = "change-password"
	// ActionVerify has the person verify their identity.
	ActionVerify Action = "verify"
	// ActionContact turns to the people who run the account.
	ActionContact Action = "contact"
)

// Row is one error of the catalogue.
type Row struct {
	Key    Key
	Status int
	// Retryable says that the same request may succeed later unchanged.
	Retryable bool
	// Level is the severity in the log; slog.LevelError needs an operator's attention.
	Level slog.Level
	// Action is the client's further step.
	Action Action
	// Scenarios are those in which the platform's texts and numbers mean this error
	// (specification, part 7.2; docs/platform.md I12); none for an error of our own.
	Scenarios []Scenario
	// RefusedIn are further scenarios, in which they mean this error only in a refusal:
	// the specification does not name them, so that in a failure it stays a failure of
	// the platform.
	RefusedIn []Scenario
	// Private says that the row reveals that an account exists or its state. Only the
	// account's proven owner may see it.
	Private bool
	// DetailOnly says that the row has no status: it lends its texts and its
	// action to the wider row that it comes with.
	DetailOnly bool

	words Key // row of the message and next step; "" for its own
	next  Key // row of the next step; "" for that of words
}

// TitleID returns the message id of the row's title.
func (r Row) TitleID() string { return "error." + string(r.Key) + ".title" }

// MessageID returns the message id that says what happened.
func (r Row) MessageID() string { return "error." + string(r.textKey()) + ".message" }

// NextID returns the message id of the next step.
func (r Row) NextID() string { return "error." + string(cmp.Or(r.next, r.textKey())) + ".next" }

func (r Row) textKey() Key { return cmp.Or(r.words, r.Key) }

// refined returns r with the texts of specific.
func (r Row) refined(specific Row) Row {
	r.words, r.Action = specific.Key, specific.Action
	return r
}

// restarted returns r for a request that cannot be sent again, with the next step for a
// spent ceremony.
func (r Row) restarted() Row {
	r.Retryable, r.Action, r.next = false, ActionRestart, CeremonySpent
	return r
}

// Rows returns the catalogue, in the order of the documentation.
func Rows() []Row { return slices.Clone(rows) }

// Lookup returns the row of key; for an unknown key, server.internal.
func Lookup(key Key) Row {
	if row, ok := byKey[key]; ok {
		return row
	}
	return byKey[ServerInternal]
}

// Known reports whether key has a row.
func Known(key Key) bool {
	_, ok := byKey[key]
	return ok
}

var rows = slices.Concat(ownRows, accountRows, authenticationRows, activationRows, orchestrationRows, fidoRows, signingRows, verificationRows, platformRows)

var byKey = func() map[Key]Row {
	m := make(map[Key]Row, len(rows))
	for _, r := range rows {
		m[r.Key] = r
	}
	return m
}()
