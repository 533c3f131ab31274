package people

import (
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/account"
	"countersign/internal/identity/platform"
	"countersign/templates"
)

// peoplePath is the path on which operators find people.
const peoplePath = "/people"

// peopleView is "/people". Its form asks by GET for userID, displayName, emailAddress.
type peopleView struct {
	templates.Common
	// User is what was typed as the user name, and Wrong says what is wrong with it.
	User, Wrong string
	// Name and Email are what else was typed.
	Name, Email string
	// Searched says that Found are the people who were found, a page of Count, the first of
	// which has the number First.
	Searched     bool
	Found        []foundRow
	First, Count int
	// Previous and Next are the paths of the pages before and after; "" if there is none.
	Previous, Next string
}

// foundRow is a person who was found.
type foundRow struct{ platform.FoundUser }

// Href returns the path of the person's page.
func (p foundRow) Href() string { return personPath(p.ID) }

// StatusID returns the message of the account's state.
func (p foundRow) StatusID() string { return statusIDs[p.Status] }

// Usable reports whether nothing is known against the account.
func (p foundRow) Usable() bool { return p.Status == "active" || p.Status == "" }

// Last returns the number of the last person shown.
func (p peopleView) Last() int { return p.First + len(p.Found) - 1 }

// PathFrom returns the path of the same search after so many people.
func (p peopleView) PathFrom(offset int) string {
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

// personView is "/people/{user}". Its forms post urlencoded there, each with a reason:
//
//	action=end-all
//	action=end     id
//	action=remove  id, confirm ("last" for the last authenticator)
//	action=unlock
//	action=enable
//
// They open by GET: ?ask=end-all, ?ask=end&id=…, ?ask=remove&id=…, ?ask=unlock, ?ask=enable.
type personView struct {
	templates.Common
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
	Sessions       []sessionRow
	Authenticators []authenticatorRow
	Events         []eventRow
	// Asking is the open form, by its action, and AskingID what it is about.
	Asking, AskingID string
	// Reason is what was typed, and WrongReason says what is wrong with it.
	Reason, WrongReason string
}

// Href returns the path of the person's page.
func (p personView) Href() string { return personPath(p.User) }

// personPath returns the path of a person's page.
func personPath(user string) string { return peoplePath + "/" + url.PathEscape(user) }

// Asks reports whether the form of an action about id is open.
func (p personView) Asks(action, id string) bool { return p.Asking == action && p.AskingID == id }

// personHelp is what an operator can do for an account, by its action, with the messages of
// its button, question and explanation.
type personHelp struct{ Action, ButtonID, AskID, TextID string }

// Helps returns what the account's state calls for.
func (p personView) Helps() (all []personHelp) {
	if p.Locked {
		all = append(all, personHelp{"unlock", "page.person.unlock", "page.person.unlock-ask", "page.person.unlock-text"})
	}
	if p.Disabled {
		all = append(all, personHelp{"enable", "page.person.enable", "page.person.enable-ask", "page.person.enable-text"})
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

// StatusID returns the message of the account's state.
func (p personView) StatusID() string { return statusIDs[p.Status] }

// personOf returns a person for their page.
func personOf(c *gin.Context, one account.Person) personView {
	v := personView{
		Common: page.Common(c), User: one.ID, DisplayName: one.User.DisplayName, Email: one.User.EmailAddress,
		Status: one.Status, Sessions: sessionRows(c, one.Sessions),
		Locked: one.User.Locked, Disabled: one.Status != "" && !one.User.Enabled,
	}
	for _, a := range one.Authenticators {
		v.Authenticators = append(v.Authenticators, authenticatorRowOf(a, len(one.Authenticators) == 1))
	}
	for _, e := range one.Events {
		v.Events = append(v.Events, eventRow{e})
	}
	return v
}
