package templates

import (
	"slices"
	"time"

	"countersign/internal/fault"
)

// Common is what every page knows.
type Common struct {
	// Language is the BCP 47 tag the page is written in.
	Language string
	// Nonce is the one of this answer's Content-Security-Policy (script-src).
	Nonce string
	// RequestID is the number that finds this request in the log.
	RequestID string
	// Path is the path of the page, with its query where that matters for
	// coming back to it.
	Path string
	// Person is who is signed in; nil when nobody is.
	Person *Person
	// Notice is what has just been done; empty, or unknown, shows nothing.
	Notice Notice
	// Problem is what went wrong with the form that was sent; nil if nothing.
	// Home and Error do not show it.
	Problem *Problem
}

// Person is somebody signed in. ID is userID@domain.
type Person struct{ ID, DisplayName string }

// Problem is an error that the page shows above its form, in words of the
// catalogue, with Common.RequestID.
type Problem struct {
	Row fault.Row
	// Detail, where not empty, is a sentence in the page's language that says
	// more exactly what is wrong; it stands in place of the row's message.
	Detail string
	// RetryAfter is how long to wait before another try; zero: not said.
	RetryAfter time.Duration
	// Again are the fields of the form that failed, by name, to send it once
	// more where that can help; nil where a person has to fill it in anew.
	Again map[string]string
}

// Notice names a sentence about what has just been done. It is short and safe
// to travel in a query: only the values below are ever shown.
type Notice string

// The notices.
const (
	NoticeSignedOut     Notice = "signed-out"
	NoticeRenamed       Notice = "renamed"
	NoticeRemoved       Notice = "removed"
	NoticeSessionEnded  Notice = "session-ended"
	NoticeSessionsEnded Notice = "sessions-ended"
	NoticeLanguage      Notice = "language"
	NoticeForgotten     Notice = "forgotten"
	// NoticeSessionOver says why one has to sign in.
	NoticeSessionOver Notice = "session-over"

	NoticeVerificationCancelled Notice = "verification-cancelled"
	NoticeVerificationTrail     Notice = "verification-trail"
	NoticeVerificationMarked    Notice = "verification-marked"
	NoticeVerificationErased    Notice = "verification-erased"
	NoticeVerificationKept      Notice = "verification-kept"

	NoticePackageSaved Notice = "package-saved"
	NoticePackageSent  Notice = "package-sent"
	// NoticePackageFilesAgain is that files are to be chosen once more.
	NoticePackageFilesAgain Notice = "package-files-again"
	NoticePackageReminded   Notice = "package-reminded"
	NoticePackageCancelled  Notice = "package-cancelled"
	NoticePackageCopied     Notice = "package-copied"
	NoticePackageSigned     Notice = "package-signed"
	NoticePackageUnsigned   Notice = "package-unsigned"
	NoticePackageDeclined   Notice = "package-declined"
	NoticeCorrected         Notice = "recipient-corrected"

	NoticeFieldSaved   Notice = "field-saved"
	NoticeFieldDeleted Notice = "field-deleted"
)

// Home is the start page.
type Home struct {
	Common
	// Waiting is how many packages wait for the person to sign.
	Waiting int
	// NoPasskey asks the person to create a passkey.
	NoPasskey bool
}

// SignIn is "/login". Its forms post urlencoded to /login:
//
//	step=user      user, remember ("yes" when ticked), next   → on to step 2 for that user
//	step=password  user, password, next                       → sign in
//	step=forget    next                                       → forget the remembered name
//	step=language  language, next                             → speak another language
//
// "Not you?" without a remembered name is a GET of /login with next alone.
type SignIn struct {
	Common
	// User is the person as known so far, userID@domain; empty is step 1.
	User string
	// Typed is what step 1 shows in its field again after a Problem.
	Typed string
	// Remembered says that User comes from this device's memory.
	Remembered bool
	// Next is the path to go to afterwards; empty is "/".
	Next string
	// StepUp says that the person is signed in and has to do so once more.
	StepUp bool
	// NoPasskey says that the person is known to have no passkey: none is offered.
	NoPasskey bool
	// Push offers the approval on a phone, for which there is PushTTL.
	Push    bool
	PushTTL time.Duration
	// CeremonyTTL is how long the server keeps a challenge at most; the page
	// renews its own in time. Zero is five minutes.
	CeremonyTTL time.Duration
}

// Authenticators is "/authenticators". Its forms post urlencoded there:
//
//	action=rename      id, name, changed ("yes" from the form that names a new one:
//	                   the offer to end other sessions is still to be made then)
//	action=remove      id, confirm ("yes", or "last" for the last way to sign in)
//	action=end-others
//
// The row in question opens by GET: ?rename={id}, ?remove={id}; a remove that
// comes without confirm should be led to ?remove={id}. The script leads to
// ?added={place} after a registration.
type Authenticators struct {
	Common
	Authenticators []Authenticator
	// StepUp says that the sign-in is too old to add one.
	StepUp bool
	// Added is the ID of the one that was just registered, to be named;
	// Place is the query's added: "device", "phone" or "key".
	Added, Place string
	// Renaming and Removing are the ID of the row that is open.
	Renaming, Removing string
	// Typed is what the open row's name field shows again after a Problem.
	Typed string
	// Changed says that one was just added or removed; with OtherSessions
	// above zero the page offers to end those.
	Changed       bool
	OtherSessions int
}

// Authenticator is one registered authenticator. A zero time is not known; what
// the platform does not tell is empty.
type Authenticator struct {
	ID, Name string
	// Protocol is "FIDO2" or "UAF11".
	Protocol string
	// Provider is who makes or keeps it, by its AAGUID or AAID.
	Provider              string
	CreatedAt, LastUsedAt time.Time
	// Last says that without it this person may have no way to sign in.
	Last bool
}

// Account is "/account". Its forms post urlencoded there:
//
//	action=activation-password
//	action=end-session  id
//	action=end-others
//	action=language     language
//	action=sign-out                  (from the head of every page)
type Account struct {
	Common
	Email string
	// NoPasskey asks the person to create a passkey.
	NoPasskey bool
	// StepUp says that the sign-in is too old to ask for an activation password.
	StepUp bool
	// ActivationPassword is the one that was just asked for, to be read off.
	ActivationPassword string
	// Methods are those of the session: password, fido2, uaf, push, otp.
	Methods         []string
	AuthenticatedAt time.Time
	Sessions        []Session
	// Languages are the tags to choose from.
	Languages []string
	// Events are what was done with the account lately, the newest first.
	Events []Event
}

// Session is one of the person's sessions.
type Session struct {
	ID                    string
	Current               bool
	CreatedAt, LastUsedAt time.Time
	UserAgent, Address    string
	Methods               []string
}

// Error is the page of a failed navigation.
type Error struct {
	Common
	Key fault.Key
	// RetryAfter is how long to wait before another try; zero: not said.
	RetryAfter time.Duration
	// Help says that nothing happened: the error is only being explained.
	Help bool
}

// Interstitial is the page of one redirect. Only Language, Nonce and Path count.
type Interstitial struct{ Common }

// Elsewhere is the page under a host's name that is not ours. Only Language and Nonce,
// of its style, count of Common.
type Elsewhere struct {
	Common
	// Origin is where the service is, Address the same page there.
	Origin, Address string
}

// Lifetime is CeremonyTTL in whole seconds, for the script.
func (p SignIn) Lifetime() int {
	if p.CeremonyTTL <= 0 {
		return int((5 * time.Minute).Seconds())
	}
	return max(1, int(p.CeremonyTTL.Seconds()))
}

// PushSeconds is PushTTL in whole seconds, for the script.
func (p SignIn) PushSeconds() int { return seconds(p.PushTTL) }

// JustAdded is the authenticator to be named; nil if there is none.
func (p Authenticators) JustAdded() *Authenticator {
	i := slices.IndexFunc(p.Authenticators, func(a Authenticator) bool { return a.ID == p.Added })
	if i < 0 {
		return nil
	}
	return &p.Authenticators[i]
}

// RenamesOne reports whether the row of an authenticator is open to rename it.
func (p Authenticators) RenamesOne() bool {
	return slices.ContainsFunc(p.Authenticators, func(a Authenticator) bool { return a.ID == p.Renaming && a.ID != p.Removing })
}

// SavedID is the message that says where the new passkey is.
func (p Authenticators) SavedID() string {
	switch p.Place {
	case "device":
		return "page.authenticators.saved-device"
	case "phone":
		return "page.authenticators.saved-phone"
	case "key":
		return "page.authenticators.saved-key"
	}
	return "page.authenticators.saved"
}

// Only reports whether there is just one authenticator.
func (p Authenticators) Only() bool { return len(p.Authenticators) == 1 }

// UAF reports whether it is an authenticator of FIDO UAF, not a passkey.
func (a Authenticator) UAF() bool { return a.Protocol == "UAF11" }

// KindID is the message that names the kind.
func (a Authenticator) KindID() string {
	if a.UAF() {
		return "page.authenticators.kind-uaf"
	}
	return "page.authenticators.kind-passkey"
}

// Others reports whether there is a session beside the current one.
func (p Account) Others() bool {
	return slices.ContainsFunc(p.Sessions, func(s Session) bool { return !s.Current })
}

// Row is the error's row of the catalogue.
func (p Error) Row() fault.Row { return fault.Lookup(p.Key) }

// Seconds is RetryAfter in whole seconds, rounded up.
func (p Error) Seconds() int { return seconds(p.RetryAfter) }

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
