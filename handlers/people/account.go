// Package people implements a user's own account, and administrators' actions on other
// accounts.
package people

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/templates"
)

var accountTemplate = page.For[accountView]("account")

// accountView is "/account". Its forms post urlencoded there:
//
//	action=activation-password
//	action=end-session  id
//	action=end-others
//	action=language     language, ticket
//	action=mails        packages, notices, ticket
//	action=sign-out                  (from the head of every page)
type accountView struct {
	templates.Common
	Email string
	// NoPasskey asks the person to create a passkey.
	NoPasskey bool
	// StepUp says that the sign-in is too old to ask for an activation password.
	StepUp bool
	// ActivationPassword is the requested activation password, to be copied by eye.
	ActivationPassword string
	// Activation is how the activation of the person's device stands: unknown, pending,
	// activated, timeout, or activationAway; "" if the page does not show it.
	Activation string
	Sessions   []sessionRow
	// Languages are the language tags to choose from, and Chosen is the one that is.
	Languages []string
	Chosen    string
	// Ticket keeps a form that is sent after the session has ended.
	Ticket string
	// Mails is nil if this installation sends no e-mails.
	Mails *mailsView
	// Events are the last actions on the account, the newest first.
	Events []eventRow
}

// lastEvents is the number of events that are shown at once.
const lastEvents = 5

// LastEvents returns the events that are shown at once, OlderEvents the others.
func (v accountView) LastEvents() []eventRow { return v.Events[:min(lastEvents, len(v.Events))] }

// OlderEvents returns the events that are shown when they are asked for.
func (v accountView) OlderEvents() []eventRow { return v.Events[min(lastEvents, len(v.Events)):] }

// mailsView are the e-mails that the person gets.
type mailsView struct {
	// Packages says that they are told what became of their packages.
	Packages bool
	// Language is the language chosen for e-mails, PageLanguage the one chosen last for
	// pages; "" if none was chosen.
	Language, PageLanguage string
}

// Others reports whether there is a session besides the current one.
func (v accountView) Others() bool {
	return slices.ContainsFunc(v.Sessions, func(s sessionRow) bool { return !s.Current })
}

// activationAway says that the platform does not tell how an activation stands.
const activationAway = "away"

// activationIDs are the messages for how an activation stands.
var activationIDs = map[string]string{
	"unknown":      "page.activation.status.unknown",
	"pending":      "page.activation.status.pending",
	"activated":    "page.activation.status.activated",
	"timeout":      "page.activation.status.timeout",
	activationAway: "page.activation.status.away",
}

// ActivationID returns the message of an activation in that state.
func (accountView) ActivationID(status string) string { return activationIDs[status] }

// readable is the number of characters that people copy at one look.
const readable = 5

// PasswordGroups returns the activation password in groups of similar length, which are
// easier to type than the whole.
func (v accountView) PasswordGroups() []string {
	characters := []rune(v.ActivationPassword)
	if len(characters) == 0 {
		return nil
	}
	count := (len(characters) + readable - 1) / readable
	var groups []string
	for group := range slices.Chunk(characters, (len(characters)+count-1)/count) {
		groups = append(groups, string(group))
	}
	return groups
}

// PasswordSpoken returns the activation password as a screen reader should read it:
// character by character, with a pause between the groups.
func (v accountView) PasswordSpoken() string {
	groups := v.PasswordGroups()
	for i, group := range groups {
		groups[i] = strings.Join(strings.Split(group, ""), " ")
	}
	return strings.Join(groups, ", ")
}

// AccountPage is a person's account: their sessions, language and activation password.
type AccountPage struct {
	Renderer   page.Renderer
	Account    Account
	Session    identity.Session
	Activation identity.Activation
	Prompt     identity.PasskeyPrompt
	Mails      Mails
	Recovery   page.FormRecovery
	// Recent returns the last events of a person's account, the newest first.
	Recent func(ctx context.Context, person string) ([]audit.Event, error)
}

// Routes returns the addresses of the page.
func (p AccountPage) Routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/account", Serve: p.get},
		{Method: http.MethodPost, Path: "/account", KeepExpired: p.Recovery.KeepExpired, Serve: p.post},
	}
}

// get answers GET /account.
func (p AccountPage) get(c *gin.Context) error {
	return p.show(c, "", nil)
}

// post answers POST /account: activation-password, end-session, end-others, language,
// mails, sign-out.
func (p AccountPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	action, own := c.PostForm("action"), c.PostForm("id") == request.From(c).Session.ID()
	switch {
	case action == "sign-out", action == "end-session" && own:
		return p.leave(c)
	case action == "activation-password":
		return p.activationPassword(c)
	}
	notice, err := p.act(c, action)
	switch {
	case fault.Is(err, fault.RequestInvalid): // nothing that the page offers
		return err
	case err != nil:
		return p.show(c, "", err)
	}
	return page.SeeOther(c, "/account", notice)
}

// act carries out the form's action, and returns the notice to show.
func (p AccountPage) act(c *gin.Context, action string) (templates.Notice, error) {
	switch action {
	case "end-session":
		return page.NoticeSessionEnded, endSession(c, p.Account.Sessions, p.Account.Device, c.PostForm("id"))
	case "end-others":
		return page.NoticeSessionsEnded, p.Account.endOthers(c)
	case "language":
		if !p.Session.Bundle.Has(c.PostForm("language")) {
			return "", payload.Violation("/language", "field.choice")
		}
		return page.NoticeLanguage, p.Session.SetLanguage(c, c.PostForm("language"))
	}
	if action == "mails" {
		return page.NoticeMails, p.Mails.save(c)
	}
	return "", payload.Violation("/action", "field.choice")
}

// activationPassword shows a new activation password in the answer itself. Other forms
// redirect, but then the password would have to be stored. Reloading the page asks for
// another, after the browser's warning.
func (p AccountPage) activationPassword(c *gin.Context) error {
	password, err := p.Activation.NewPassword(c)
	if fault.Is(err, fault.SessionStepUp) {
		return page.SeeOther(c, templates.ActivationSignIn, "")
	}
	return p.show(c, password, err)
}

// leave signs out and leads to the start page.
func (p AccountPage) leave(c *gin.Context) error {
	if err := identity.SignOut(c, p.Account.Sessions, p.Account.Device); err != nil {
		return err
	}
	return page.SeeOther(c, "/", page.NoticeSignedOut)
}

// show shows the account, with the new activation password or with the problem of a
// form's error, if any.
func (p AccountPage) show(c *gin.Context, password string, cause error) error {
	person, ok := p.Session.Profiles.Person(c)
	if !ok {
		return fault.New(fault.SessionRequired)
	}
	status := http.StatusOK
	v := accountView{
		Common:             page.Common(c),
		Email:              person.Email,
		Languages:          p.Session.Bundle.Languages(),
		Chosen:             request.From(c).Language,
		StepUp:             p.Activation.StepUp.Needed(c),
		ActivationPassword: password,
		NoPasskey:          password == "" && cause == nil && p.Prompt.Shown(c),
		Activation:         p.progress(c, person.ID, password),
	}
	if cause != nil {
		var err error
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		v.Problem.Again = page.PostedFields(c, "action", "id", "language", "packages", "notices")
	}
	var err error
	if v.Sessions, err = p.sessions(c, person.ID); err != nil && password == "" {
		return err // a password is shown whatever happens: the one before is void already
	}
	if v.Mails, err = p.Mails.view(c, person.ID); err != nil && password == "" {
		return err
	}
	v.Events = p.events(c, person.ID)
	v.Ticket = p.Recovery.Ticket(c)
	restore(&v, p.Recovery.RestoredForm(c))
	return accountTemplate.Show(c, p.Renderer, status, v)
}

// progress returns how the activation of the person's device stands, if the page shows that:
// with a new password, and where the person asks for it.
func (p AccountPage) progress(c *gin.Context, person, password string) string {
	switch {
	case password != "":
		return string(platform.ActivationPending)
	case c.Query("activation") == "":
		return ""
	}
	status, err := p.Activation.Progress(c.Request.Context(), person)
	if err != nil {
		request.LogCause(c, err)
		return activationAway
	}
	return string(status)
}

// restore shows what was chosen in a form that was sent after the session had ended; a nil
// form changes nothing.
func restore(v *accountView, form url.Values) {
	switch form.Get("action") {
	case "language":
		v.Chosen = form.Get("language")
	case "mails":
		if v.Mails != nil {
			v.Mails.Packages, v.Mails.Language = form.Get("packages") != "", form.Get("notices")
		}
	}
}

// events returns the last events of the person's account; none if they cannot be read.
func (p AccountPage) events(c *gin.Context, user string) []eventRow {
	list, err := p.Recent(c.Request.Context(), user)
	if err != nil {
		request.LogCause(c, err)
	}
	out := make([]eventRow, len(list))
	for i, e := range list {
		if e.OnBehalfOf != "" { // where an operator sits is not told
			e.Device, e.Address = "", ""
		}
		out[i] = eventRow{e}
	}
	return out
}

func (p AccountPage) sessions(c *gin.Context, user string) ([]sessionRow, error) {
	list, err := p.Account.Sessions.List(c.Request.Context(), user)
	return sessionRows(c, list), err
}
