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

// The kinds of events. docs/audit-events.md has their comments: what happened; members.
const (
	SignedIn                Kind = "sign-in.accepted"           // sign-in; method
	SignInRefused           Kind = "sign-in.refused"            // failed sign-in, person may not exist; method, reason
	SteppedUp               Kind = "sign-in.step-up"            // repeated sign-in in a session; method
	SignedOut               Kind = "session.signed-out"         // sign-out
	SessionEnded            Kind = "session.ended"              // a user ended another session, without subject all others; subject
	SessionBound            Kind = "session.bound"              // a browser bound its session to a key of the device
	SessionUnproven         Kind = "session.unproven"           // a browser's refresh was refused, recorded at most as often as COUNTERSIGN_RATE_CEREMONY permits; reason
	AuthenticatorRegistered Kind = "authenticator.registered"   // registration; protocol, kind, aaguid, provider, method
	AuthenticatorRefused    Kind = "authenticator.refused"      // failed registration; protocol, kind, aaguid, provider, reason
	AuthenticatorRenamed    Kind = "authenticator.renamed"      // new name; subject
	AuthenticatorRemoved    Kind = "authenticator.removed"      // removal by the user; subject, method
	ActivationPassword      Kind = "activation-password.issued" // an activation password was made
	TransactionConfirmed    Kind = "transaction.confirmed"      // a transaction was confirmed; protocol, method
	TransactionRefused      Kind = "transaction.refused"        // a transaction was not confirmed; protocol, method, reason
	PackageChanged          Kind = "package.changed"            // a package, its content or a custom field was created, changed, sent or deleted; operation, subject, onBehalfOf
	SigningOpened           Kind = "signing.opened"             // the signing page opened for a signer with proof requirements; subject, proof
	SigningUnmet            Kind = "signing.unmet"              // a signature without the required evidence, reported once; subject, proof
	VerificationChanged     Kind = "verification.changed"       // an identity check was started, cancelled, marked or unmarked for erasure, or got a token or an audit trail; operation, subject, onBehalfOf
	AccountEnded            Kind = "account.ended"              // the platform refuses the account (disabled, locked, unknown), so all its sessions ended; reason
	OperatorRead            Kind = "operator.read"              // an administrator read what is another user's, without onBehalfOf a list or export of all; operation, subject, onBehalfOf
	OperatorEnded           Kind = "operator.ended"             // an administrator, or countersign people (shell), ended a session, without subject all; onBehalfOf, subject, reason
	OperatorRemoved         Kind = "operator.removed"           // an administrator removed an authenticator; onBehalfOf, subject, reason
	OperatorUnlocked        Kind = "operator.unlocked"          // an administrator unlocked an account; onBehalfOf, reason
	OperatorEnabled         Kind = "operator.enabled"           // an administrator enabled an account; onBehalfOf, reason
	RetentionAnnounced      Kind = "retention.announced"        // retention will move a package to the trash, person is retention; subject, onBehalfOf, operation, reason
)

// MethodConditional is the method of a passkey that a password manager made by itself: of its
// registration, and of its removal within a day.
const MethodConditional = "conditional"

// Kinds returns all kinds, in the order of docs/audit-events.md.
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

// Event is one action. It contains no secret that could be used to sign in. docs/audit-events.md
// has the comments of its members.
type Event struct {
	At         time.Time `json:"at"`                   // the time, in UTC
	Kind       Kind      `json:"event"`                // the event
	Person     string    `json:"person,omitempty"`     // who acted, userID@domain; of a refused sign-in the requested account
	OnBehalfOf string    `json:"onBehalfOf,omitempty"` // the owner of the object, if an administrator acted: the user who created it here, else the sender's e-mail address
	Session    string    `json:"session,omitempty"`    // the session's id as on the account page; it grants no access
	Address    string    `json:"address,omitempty"`    // the client address
	Device     string    `json:"device,omitempty"`     // the first 120 bytes of the User-Agent
	Request    string    `json:"request,omitempty"`    // the request ID
	Method     string    `json:"method,omitempty"`     // password, otp, fido2, uaf or push; conditional if a password manager made the passkey
	Protocol   string    `json:"protocol,omitempty"`   // FIDO2 or UAF11
	Authenticator
	Operation string `json:"operation,omitempty"` // the platform's name of the action
	Subject   string `json:"subject,omitempty"`   // the id of the object: session, authenticator, package or transaction
	Reason    string `json:"reason,omitempty"`    // the exact error key, the status of a push, the administrator's text, or the time of a removal
	Unclear   bool   `json:"unclear,omitzero"`    // true if the platform did not confirm the action
	Proof     Proof  `json:"proof,omitzero"`      // the evidence; of signing.unmet role, signer, time and requirements
	// Email and Language are the address and language for the person's notice; they are
	// not recorded.
	Email    string `json:"-"`
	Language string `json:"-"`
}

// Authenticator is what its registration says of a key. A member that is not known is "".
type Authenticator struct {
	KeyKind  string `json:"kind,omitempty"`     // synced or device-bound
	AAGUID   string `json:"aaguid,omitempty"`   // the model of a passkey
	Provider string `json:"provider,omitempty"` // the name of that model
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
