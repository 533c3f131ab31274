package templates

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"countersign/internal/fault"
)

// Common is the content that every page has.
type Common struct {
	// Language is the BCP 47 tag the page is written in.
	Language string
	// Nonce is the nonce of this answer's Content-Security-Policy (script-src).
	Nonce string
	// RequestID is the number by which the log lists this request.
	RequestID string
	// Path is the path of the page, with the query that coming back to it needs.
	Path string
	// Person is the signed-in person; nil if nobody is.
	Person *Person
	// Press tells the press of a form's button on this page from one on another; every form that
	// does something sends it as press.
	Press string
	// ShownTo is the sealed person, which every form of theirs sends as shown_to; empty if
	// nobody is signed in.
	ShownTo string
	// SignedInAt is when the person signed in last; zero if nobody is signed in.
	SignedInAt time.Time
	// MakesPasskey says that the page may have a passkey made by itself for the person.
	MakesPasskey bool
	// Notice says what has just been done; an empty or unknown one shows nothing.
	Notice Notice
	// Problem is the error of the form that was sent, or nil. Home and Error do not show
	// it.
	Problem *Problem
}

// Person is a signed-in person. ID is userID@domain.
type Person struct{ ID, DisplayName string }

// Problem is an error that the page shows above its form, in the catalogue's words, with
// Common.RequestID.
type Problem struct {
	Row fault.Row
	// Detail, if not empty, is a more exact sentence in the page's language; it replaces
	// the row's message.
	Detail string
	// RetryAfter is the wait before another try; zero if unknown.
	RetryAfter time.Duration
	// Again holds the fields of the failed form, by name, for sending it once more if
	// that can help; nil if a person has to fill it in again.
	Again map[string]string
}

// Notice names a sentence about what has just been done: "removed" stands for the message
// "page.notice.removed". It is short and safe to travel in a query: one without a message
// shows nothing.
type Notice string

// Home is the start page.
type Home struct {
	Common
	// Waiting is the number of packages that wait for the person's signature.
	Waiting int
	// ToSign are the newest of them, a few.
	ToSign []PackageItem
	// News is what happened to the person's packages since they last looked.
	News PackageNews
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
	// User is the person as known so far, userID@domain; empty in step 1.
	User string
	// Typed is the text that step 1 shows in its field again after a Problem.
	Typed string
	// Remembered says that User comes from this device's memory.
	Remembered bool
	// Next is the path to go to afterwards; empty is "/".
	Next string
	// StepUp says that the person is signed in and has to prove their identity once more.
	StepUp bool
	// ForSigning says that they go on to a signing page that asks for a passkey.
	ForSigning bool
	// NoPasskey says that the person is known to have no passkey, so none is offered.
	NoPasskey bool
	// Push offers the approval on a phone, which may take up to PushTTL.
	Push    bool
	PushTTL time.Duration
	// CeremonyTTL limits how long the server keeps a challenge; the page renews its own
	// in time. Zero stands for five minutes.
	CeremonyTTL time.Duration
}

// WhyAgainID returns the message id that says why a signed-in person signs in once more.
func (p SignIn) WhyAgainID() string {
	if path, _, _ := strings.Cut(p.Next, "?"); path == AuthenticatorsPath("", "", "") {
		return "page.login.again-passkeys"
	}
	return "page.login.again-why"
}

// AddPasskey returns the path of the page that adds a passkey, and leads on to Next.
func (p SignIn) AddPasskey() string { return AuthenticatorsPath(p.Next, "", "") }

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
	// StepUp says that the sign-in is too old to add an authenticator.
	StepUp bool
	// Added is the ID of the authenticator just registered, to be named; Place is the
	// query's added: "device", "phone" or "key".
	Added, Place string
	// Renaming and Removing are the IDs of the open rows.
	Renaming, Removing string
	// Typed is the text that the open row's name field shows again after a Problem.
	Typed string
	// Changed says that an authenticator was just added or removed; if OtherSessions is
	// above zero, the page offers to end those.
	Changed       bool
	OtherSessions int
	// Next is the signing page that asks for a passkey, to go on to; or "".
	Next string
}

// AuthenticatorsPath returns the path of the page of authenticators that leads on to next,
// with a member of its query; either may be "".
func AuthenticatorsPath(next, name, value string) string {
	query := url.Values{}
	if value != "" {
		query.Set(name, value)
	}
	if next != "" {
		query.Set("next", next)
	}
	return strings.TrimSuffix("/authenticators?"+query.Encode(), "?")
}

// Href returns the path of the page as it is without open rows.
func (p Authenticators) Href() string { return AuthenticatorsPath(p.Next, "", "") }

// SignIn returns the path of the sign-in that leads back to the page.
func (p Authenticators) SignIn() string { return "/login?" + url.Values{"next": {p.Href()}}.Encode() }

// Authenticator is one registered authenticator. A zero time is unknown; a member that
// the platform does not tell is empty.
type Authenticator struct {
	ID, Name string
	// Protocol is "FIDO2" or "UAF11".
	Protocol string
	// Provider is the maker or keeper of the authenticator, by its AAGUID or AAID.
	Provider string
	// Kind is "synced" or "device-bound"; "" if that is not known.
	Kind                  string
	CreatedAt, LastUsedAt time.Time
	// Last says that without it the person may have no way to sign in.
	Last bool
}

// Error is the page of a failed navigation.
type Error struct {
	Common
	Key fault.Key
	// RetryAfter is the wait before another try; zero if unknown.
	RetryAfter time.Duration
	// Help says that no request failed: the error is only being explained.
	Help bool
}

// Interstitial is the page that leads to its own address. Only Language, Nonce and Path
// count.
type Interstitial struct{ Common }

// OtherHost is the page under another host name. Of Common, only Language and Nonce, for
// its style, count.
type OtherHost struct {
	Common
	// Origin is the service's origin, Address the same page's address there.
	Origin, Address string
}

// Lifetime returns CeremonyTTL in whole seconds, for the script.
func (p SignIn) Lifetime() int {
	if p.CeremonyTTL <= 0 {
		return int((5 * time.Minute).Seconds())
	}
	return max(1, int(p.CeremonyTTL.Seconds()))
}

// PushSeconds returns PushTTL in whole seconds, for the script.
func (p SignIn) PushSeconds() int { return seconds(p.PushTTL) }

// JustAdded returns the authenticator to be named, or nil.
func (p Authenticators) JustAdded() *Authenticator {
	i := slices.IndexFunc(p.Authenticators, func(a Authenticator) bool { return a.ID == p.Added })
	if i < 0 {
		return nil
	}
	return &p.Authenticators[i]
}

// RenamesOne reports whether an authenticator's row is open for renaming.
func (p Authenticators) RenamesOne() bool {
	return slices.ContainsFunc(p.Authenticators, func(a Authenticator) bool { return a.ID == p.Renaming && a.ID != p.Removing })
}

// SavedID returns the message id that says where the new passkey is.
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

// Only reports whether there is only one authenticator.
func (p Authenticators) Only() bool { return len(p.Authenticators) == 1 }

// UAF reports whether this is a FIDO UAF authenticator, not a passkey.
func (a Authenticator) UAF() bool { return a.Protocol == "UAF11" }

// Initials returns the first letters of the provider's first two words.
func (a Authenticator) Initials() string {
	var initials []rune
	for _, word := range strings.FieldsFunc(a.Provider, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(initials) < 2 {
			initials = append(initials, unicode.ToUpper([]rune(word)[0]))
		}
	}
	return string(initials)
}

// Hue returns the number of the provider's colour, from 0 to 5, which is always the same.
func (a Authenticator) Hue() int {
	sum := 0
	for _, b := range []byte(a.Provider) {
		sum = (sum*31 + int(b)) % 6007
	}
	return sum % 6
}

// KindID returns the message id of the authenticator's kind.
func (a Authenticator) KindID() string {
	if a.UAF() {
		return "page.authenticators.kind-uaf"
	}
	return "page.authenticators.kind-passkey"
}

// Row returns the error's row of the catalogue.
func (p Error) Row() fault.Row { return fault.Lookup(p.Key) }

// Missing reports whether nothing failed: there is no such page.
func (p Error) Missing() bool { return p.Row().Status == http.StatusNotFound }

// Seconds returns RetryAfter in whole seconds, rounded up.
func (p Error) Seconds() int { return seconds(p.RetryAfter) }

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
