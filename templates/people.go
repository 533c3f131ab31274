package templates

import (
	"net/url"
	"strconv"
)

// peoplePath is the path on which operators find people.
const peoplePath = "/people"

// People is "/people". Its form asks by GET for userID, displayName, emailAddress.
type People struct {
	Common
	// User is what was typed as the user name, and Wrong says what is wrong with it.
	User, Wrong string
	// Name and Email are what else was typed.
	Name, Email string
	// Searched says that Found are the people who were found, a page of Count, the first of
	// whom has the number First.
	Searched     bool
	Found        []FoundPerson
	First, Count int
	// Previous and Next are the paths of the pages before and after; "" if there is none.
	Previous, Next string
}

// FoundPerson is a person who was found; Status is as in OnePerson.
type FoundPerson struct{ User, DisplayName, Email, Status string }

// Href returns the path of the person's page.
func (p FoundPerson) Href() string { return PersonPath(p.User) }

// Usable reports whether nothing is known against the account.
func (p FoundPerson) Usable() bool { return p.Status == "active" || p.Status == "" }

// Last returns the number of the last person shown.
func (p People) Last() int { return p.First + len(p.Found) - 1 }

// PathFrom returns the path of the same search after so many people.
func (p People) PathFrom(offset int) string {
	values := url.Values{}
	for name, value := range map[string]string{"userID": p.User, "displayName": p.Name, "emailAddress": p.Email} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if offset > 0 {
		values.Set("offset", strconv.Itoa(offset))
	}
	return peoplePath + "?" + values.Encode()
}

// OnePerson is "/people/{user}". Its forms post urlencoded there, each with a reason:
//
//	action=end-all
//	action=end     id
//	action=remove  id, confirm ("last" for the last authenticator)
//	action=unlock
//	action=enable
//
// They open by GET: ?ask=end-all, ?ask=end&id=…, ?ask=remove&id=…, ?ask=unlock, ?ask=enable.
type OnePerson struct {
	Common
	// User is whose account it is.
	User, DisplayName, Email string
	// Status is the account's state: active, disabled, locked or expired; "" if it is not
	// known.
	Status string
	// Locked and Disabled say why the person cannot sign in, if the platform told.
	Locked, Disabled bool
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

// PersonHelp is what an operator can do for an account, by its action, with the messages of
// its button, question and explanation.
type PersonHelp struct{ Action, ButtonID, AskID, TextID string }

// Helps returns what the account's state calls for.
func (p OnePerson) Helps() (all []PersonHelp) {
	if p.Locked {
		all = append(all, PersonHelp{"unlock", "page.person.unlock", "page.person.unlock-ask", "page.person.unlock-text"})
	}
	if p.Disabled {
		all = append(all, PersonHelp{"enable", "page.person.enable", "page.person.enable-ask", "page.person.enable-text"})
	}
	return all
}

// statusIDs are the messages of the states.
var statusIDs = map[string]string{
	"active":   "page.person.status.active",
	"disabled": "page.person.status.disabled",
	"locked":   "page.person.status.locked",
	"expired":  "page.person.status.expired",
	"":         "page.person.status.unknown",
}

// AccountState returns the name of an account's state.
func (v View) AccountState(status string) string { return v.T(statusIDs[status]) }
