package audit

import "time"

// Kind says what was done.
type Kind string

// The kinds of events.
const (
	// SignedIn is a sign-in that succeeded; it has a Method.
	SignedIn Kind = "sign-in.accepted"
	// SignInRefused is one that did not; it has a Method where that was read, and a Reason.
	// Person is whose account was asked for, and who asked is not known.
	SignInRefused Kind = "sign-in.refused"
	// SteppedUp is somebody signed in who proved once more who they are; it has a Method.
	SteppedUp Kind = "sign-in.step-up"
	// SignedOut is a session that its person ended from within.
	SignedOut Kind = "session.signed-out"
	// SessionEnded is another session that its person ended: Subject, or all others where
	// that is empty.
	SessionEnded Kind = "session.ended"
	// AuthenticatorRegistered has a Protocol.
	AuthenticatorRegistered Kind = "authenticator.registered"
	// AuthenticatorRefused is a registration that failed; it has a Protocol and a Reason.
	AuthenticatorRefused Kind = "authenticator.refused"
	// AuthenticatorRenamed and AuthenticatorRemoved have the authenticator's id as Subject.
	AuthenticatorRenamed Kind = "authenticator.renamed"
	AuthenticatorRemoved Kind = "authenticator.removed"
	// ActivationPassword is an activation password that was made.
	ActivationPassword Kind = "activation-password.issued"
	// TransactionConfirmed and TransactionRefused are what came of a transaction that a
	// person was asked to confirm; the latter has a Reason.
	TransactionConfirmed Kind = "transaction.confirmed"
	TransactionRefused   Kind = "transaction.refused"
	// PackageChanged and VerificationChanged have the Operation, and as Subject the id of
	// the package or transaction where there is one.
	PackageChanged      Kind = "package.changed"
	VerificationChanged Kind = "verification.changed"
)

// Kinds are all kinds, in the order of the document.
func Kinds() []Kind {
	return []Kind{
		SignedIn, SignInRefused, SteppedUp, SignedOut, SessionEnded,
		AuthenticatorRegistered, AuthenticatorRefused, AuthenticatorRenamed, AuthenticatorRemoved,
		ActivationPassword, TransactionConfirmed, TransactionRefused, PackageChanged, VerificationChanged,
	}
}

// Event is one thing that was done. It has no secret: nobody signs in with what it tells.
type Event struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"event"`
	// Person is who did it, userID@domain; of a refused sign-in, whose account was asked for.
	Person string `json:"person,omitempty"`
	// OnBehalfOf is whose thing an operator acted on, where it is somebody else's.
	OnBehalfOf string `json:"onBehalfOf,omitempty"`
	// Session is the id of the person's session, which is random and opens nothing.
	Session string `json:"session,omitempty"`
	// Address is the client's IP address, Device its User-Agent.
	Address string `json:"address,omitempty"`
	Device  string `json:"device,omitempty"`
	// Request is the name of the request, as the log and X-Request-Id have it.
	Request string `json:"request,omitempty"`
	// Method is how the person signs in: password, otp, fido2, uaf or push.
	Method string `json:"method,omitempty"`
	// Protocol is FIDO2 or UAF11.
	Protocol string `json:"protocol,omitempty"`
	// Operation is the platform's name of what was done.
	Operation string `json:"operation,omitempty"`
	// Subject is the id of what it was done to.
	Subject string `json:"subject,omitempty"`
	// Reason is the key of the error, the exact one; for a device's decision the status of
	// the platform.
	Reason string `json:"reason,omitempty"`
	// Email and Language are where and how the person is told of it; they are not written
	// down.
	Email    string `json:"-"`
	Language string `json:"-"`
}
