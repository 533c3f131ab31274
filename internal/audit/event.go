package audit

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind names an action.
type Kind string

// The kinds of events.
const (
	// SignedIn is a sign-in that succeeded; it has a Method.
	SignedIn Kind = "sign-in.accepted"
	// SignInRefused is a sign-in that failed; it has a Reason, and a Method if that was
	// read. Person is the account that was asked for; nobody knows who asked.
	SignInRefused Kind = "sign-in.refused"
	// SteppedUp is a signed-in person who proved their identity once more; it has a
	// Method.
	SteppedUp Kind = "sign-in.step-up"
	// SignedOut is a session that its person ended from within it.
	SignedOut Kind = "session.signed-out"
	// SessionEnded is another session that its person ended: Subject, or all others if
	// that is empty.
	SessionEnded Kind = "session.ended"
	// SessionBound is a session that a browser bound to a key of its own. SessionUnproven is one
	// whose key a browser did not prove when it renewed its bound cookie; it has a Reason.
	SessionBound    Kind = "session.bound"
	SessionUnproven Kind = "session.unproven"
	// AuthenticatorRegistered has a Protocol.
	AuthenticatorRegistered Kind = "authenticator.registered"
	// AuthenticatorRefused is a registration that failed; it has a Protocol and a Reason.
	AuthenticatorRefused Kind = "authenticator.refused"
	// AuthenticatorRenamed and AuthenticatorRemoved have the authenticator's id as Subject.
	AuthenticatorRenamed Kind = "authenticator.renamed"
	AuthenticatorRemoved Kind = "authenticator.removed"
	// ActivationPassword is an activation password that was made.
	ActivationPassword Kind = "activation-password.issued"
	// TransactionConfirmed and TransactionRefused are a person's decision on a
	// transaction; the latter has a Reason.
	TransactionConfirmed Kind = "transaction.confirmed"
	TransactionRefused   Kind = "transaction.refused"
	// PackageChanged and VerificationChanged have the Operation, and as Subject the id of
	// the package or transaction if there is one.
	PackageChanged Kind = "package.changed"
	// SigningOpened is a signing page that opens for a signer of whom the package asks
	// proofs; Proof says what they proved. SigningUnmet is a signature without such a page:
	// Proof has its role and its signer. Both have the package's id as Subject.
	SigningOpened       Kind = "signing.opened"
	SigningUnmet        Kind = "signing.unmet"
	VerificationChanged Kind = "verification.changed"
	// AccountEnded is the end of every session of a person whose account the platform no
	// longer lets in; the Reason is disabled, locked or unknown.
	AccountEnded Kind = "account.ended"
	// OperatorRead is an operator who read what is somebody else's: OnBehalfOf, or several
	// people's if that is empty. It has the Operation, and the Subject if there is one.
	OperatorRead Kind = "operator.read"
	// OperatorEnded is an operator who ended a session of OnBehalfOf: Subject, or all of
	// them if that is empty. OperatorRemoved is one who removed the authenticator Subject.
	// OperatorUnlocked and OperatorEnabled are one who made the account usable again. All have
	// the operator's own words as Reason.
	OperatorEnded    Kind = "operator.ended"
	OperatorRemoved  Kind = "operator.removed"
	OperatorUnlocked Kind = "operator.unlocked"
	OperatorEnabled  Kind = "operator.enabled"
	// RetentionAnnounced is a package of OnBehalfOf, the Subject, that a rule will move to the
	// trash at a time: the Reason.
	RetentionAnnounced Kind = "retention.announced"
)

// MethodConditional is the method of a passkey that a password manager made by itself: of its
// registration, and of its removal within a day.
const MethodConditional = "conditional"

// Kinds returns all kinds, in the order of docs/operate/audit-trail.md.
func Kinds() []Kind {
	return []Kind{
		SignedIn, SignInRefused, SteppedUp, SignedOut, SessionEnded, SessionBound, SessionUnproven,
		AuthenticatorRegistered, AuthenticatorRefused, AuthenticatorRenamed, AuthenticatorRemoved,
		ActivationPassword, TransactionConfirmed, TransactionRefused, PackageChanged, SigningOpened, SigningUnmet, VerificationChanged,
		AccountEnded, OperatorRead, OperatorEnded, OperatorRemoved, OperatorUnlocked, OperatorEnabled, RetentionAnnounced,
	}
}

// helps reports whether events of the kind are about what an operator did to somebody else.
func (k Kind) helps() bool {
	return slices.Contains([]Kind{OperatorEnded, OperatorRemoved, OperatorUnlocked, OperatorEnabled}, k)
}

// Event is one action. It contains no secret that could be used to sign in.
type Event struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"event"`
	// Person is the person who acted, userID@domain; for a refused sign-in, the account
	// asked for.
	Person string `json:"person,omitempty"`
	// OnBehalfOf is the owner of the object that an operator acted on or read, if that is
	// another person.
	OnBehalfOf string `json:"onBehalfOf,omitempty"`
	// Session is the id of the person's session, which is random and opens nothing.
	Session string `json:"session,omitempty"`
	// Address is the client's IP address, Device its User-Agent.
	Address string `json:"address,omitempty"`
	Device  string `json:"device,omitempty"`
	// Request is the request's id, as in the log and X-Request-Id.
	Request string `json:"request,omitempty"`
	// Method is the way of signing in: password, otp, fido2, uaf or push. Of a passkey it is
	// MethodConditional or "".
	Method string `json:"method,omitempty"`
	// Protocol is FIDO2 or UAF11.
	Protocol string `json:"protocol,omitempty"`
	// Authenticator says which key was registered, or refused.
	Authenticator
	// Operation is the platform's name of the action.
	Operation string `json:"operation,omitempty"`
	// Subject is the id of the object acted on.
	Subject string `json:"subject,omitempty"`
	// Reason is the exact key of the error; for a device's decision, the platform's
	// status; for what an operator did to somebody else, the operator's own words; for what
	// was announced, the time.
	Reason string `json:"reason,omitempty"`
	// Unclear says that the platform was asked and did not say whether it was done.
	Unclear bool `json:"unclear,omitzero"`
	// Proof holds what the signer proved, for SigningOpened and SigningUnmet; else "".
	Proof Proof `json:"proof,omitzero"`
	// Email and Language are the address and language for the person's notice; they are
	// not recorded.
	Email    string `json:"-"`
	Language string `json:"-"`
}

// Authenticator is what its registration says of a key. A member that is not known is "".
type Authenticator struct {
	// KeyKind is synced or device-bound.
	KeyKind string `json:"kind,omitempty"`
	// AAGUID and Provider are the model of a passkey, and its name.
	AAGUID   string `json:"aaguid,omitempty"`
	Provider string `json:"provider,omitempty"`
}

// Proof is a JSON object as text.
type Proof string

// MarshalJSON returns the object.
func (p Proof) MarshalJSON() ([]byte, error) { return []byte(p), nil }

// UnmarshalJSON keeps the object as it is.
func (p *Proof) UnmarshalJSON(text []byte) error {
	*p = Proof(text)
	return nil
}

// LogValue returns the event as a group of its members.
func (e Event) LogValue() slog.Value {
	line, err := json.Marshal(e)
	var members map[string]any
	if err = errors.Join(err, json.Unmarshal(line, &members)); err != nil {
		return slog.StringValue(string(e.Kind))
	}
	group := make([]slog.Attr, 0, len(members))
	for name, value := range members {
		group = append(group, slog.Any(name, value))
	}
	return slog.GroupValue(group...)
}

// truncate returns text as valid UTF-8 of at most n bytes: a client's headers may hold
// anything.
func truncate(text string, n int) string {
	return strings.ToValidUTF8(text[:min(n, len(text))], "")
}
