// Package people implements a user's own account, and administrators' actions on other
// accounts.
package people

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/session"
	"countersign/templates"
)

var accountTemplate = page.For[templates.Account]("account")

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
	v := templates.Account{
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
		return templates.ActivationAway
	}
	return string(status)
}

// restore shows what was chosen in a form that was sent after the session had ended; a nil
// form changes nothing.
func restore(v *templates.Account, form url.Values) {
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
func (p AccountPage) events(c *gin.Context, user string) []templates.Event {
	list, err := p.Recent(c.Request.Context(), user)
	if err != nil {
		request.LogCause(c, err)
	}
	out := make([]templates.Event, len(list))
	for i, e := range list {
		out[i] = templates.Event{Kind: string(e.Kind), At: e.At, Method: e.Method, Unclear: e.Unclear}
		if e.OnBehalfOf == "" { // where an operator sits is not told
			out[i].UserAgent, out[i].Address = e.Device, e.Address
		}
	}
	return out
}

func (p AccountPage) sessions(c *gin.Context, user string) ([]templates.Session, error) {
	list, err := p.Account.Sessions.List(c.Request.Context(), user)
	return sessionViews(c, list), err
}

// sessionViews returns sessions for a page.
func sessionViews(c *gin.Context, list []session.Listed) []templates.Session {
	out := make([]templates.Session, 0, len(list))
	for _, s := range list {
		out = append(out, templates.Session{
			ID: s.ID, Current: s.ID == request.From(c).Session.ID(), CreatedAt: s.CreatedAt, LastUsedAt: s.LastUsedAt,
			UserAgent: s.UserAgent, Address: s.Address, Methods: s.Methods, Bound: s.Bound,
		})
	}
	return out
}
