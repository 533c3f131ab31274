package templates

import (
	"io"
	"net/url"
)

// peoplePath is the path on which operators find people.
const peoplePath = "/people"

// People is "/people". Its form opens /people?user={userID@domain}.
type People struct {
	Common
	// User is what was typed, and Wrong says what is wrong with it.
	User, Wrong string
}

// OnePerson is "/people/{user}". Its forms post urlencoded there, each with a reason:
//
//	action=end-all
//	action=end     id
//	action=remove  id, confirm ("last" for the last authenticator)
//
// They open by GET: ?ask=end-all, ?ask=end&id=…, ?ask=remove&id=….
type OnePerson struct {
	Common
	// User is whose account it is.
	User, DisplayName, Email string
	// Status is the account's state: active, disabled, locked or expired; "" if it is not
	// known.
	Status string
	// Away says that the platform does not answer: it is not known who User is and what
	// authenticators they have.
	Away           bool
	Sessions       []Session
	Authenticators []Authenticator
	Events         []Event
	// Asking is the open form, by its action, and AskingID what it is about.
	Asking, AskingID string
	// Reason is what was typed, and WrongReason says what is wrong with it.
	Reason, WrongReason string
}

// Href returns the path of the person's page.
func (p OnePerson) Href() string { return PersonPath(p.User) }

// PersonPath returns the path of a person's page.
func PersonPath(user string) string { return peoplePath + "/" + url.PathEscape(user) }

// Asks reports whether the form of an action about id is open.
func (p OnePerson) Asks(action, id string) bool { return p.Asking == action && p.AskingID == id }

// statusIDs are the messages of the states.
var statusIDs = map[string]string{
	"active":   "page.person.status.active",
	"disabled": "page.person.status.disabled",
	"locked":   "page.person.status.locked",
	"expired":  "page.person.status.expired",
	"":         "page.person.status.unknown",
}

// AccountState returns the name of an account's state.
func (v view) AccountState(status string) string { return v.T(statusIDs[status]) }

// People writes "/people".
func (p *Pages) People(w io.Writer, page People) error {
	return p.write(w, "people", page.Common, page)
}

// Person writes "/people/{user}".
func (p *Pages) Person(w io.Writer, page OnePerson) error {
	return p.write(w, "person", page.Common, page)
}
