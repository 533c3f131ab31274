package handlers

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/templates"
)

// AccountPage is a person's account: their sessions, language and activation
// password.
type AccountPage struct {
	Renderer   Renderer
	Account    Account
	Session    Session
	Activation Activation
}

// Show answers GET /account.
func (p AccountPage) Show(c *gin.Context) error {
	return p.show(c, "", nil)
}

// Post answers POST /account: activation-password, end-session,
// end-others, language, sign-out.
func (p AccountPage) Post(c *gin.Context) (err error) {
	if err := request.Form(c); err != nil {
		return err
	}
	ctx := c.Request.Context()
	var notice templates.Notice
	switch c.PostForm("action") {
	case "sign-out":
		return p.leave(c)
	case "activation-password":
		return p.activationPassword(c)
	case "end-session":
		if id := c.PostForm("id"); id == request.From(c).Session.ID() {
			return p.leave(c)
		}
		notice = templates.NoticeSessionEnded
		err = endSession(c, p.Account.Sessions, p.Account.Device, c.PostForm("id"))
	case "end-others":
		notice = templates.NoticeSessionsEnded
		err = p.Account.Sessions.EndOthers(ctx, request.From(c).Session)
	case "language":
		notice = templates.NoticeLanguage
		if !p.Session.Bundle.Has(c.PostForm("language")) {
			return request.Violation("/language", "field.choice")
		}
		err = p.Session.setLanguage(c, c.PostForm("language"))
	default:
		return request.Violation("/action", "field.choice")
	}
	if err != nil {
		return p.show(c, "", err)
	}
	return seeOther(c, "/account", notice)
}

// activationPassword shows a new activation password in the answer itself, where
// other forms lead on: kept for the next page, it would have to be kept
// somewhere. To load the page again asks for another, as the browser says first.
func (p AccountPage) activationPassword(c *gin.Context) error {
	password, err := p.Activation.password(c)
	if fault.Is(err, fault.SessionStepUp) {
		return seeOther(c, templates.ActivationSignIn, "")
	}
	return p.show(c, password, err)
}

// leave signs out and leads to the start page.
func (p AccountPage) leave(c *gin.Context) error {
	if err := signOut(c, p.Account.Sessions, p.Account.Device); err != nil {
		return err
	}
	return seeOther(c, "/", templates.NoticeSignedOut)
}

// show shows the account; with password, what was asked for, and with
// cause, what went wrong with its form.
func (p AccountPage) show(c *gin.Context, password string, cause error) error {
	person, ok := p.Session.Profiles.person(c)
	if !ok {
		return fault.New(fault.SessionRequired)
	}
	s, status := request.From(c).Session, http.StatusOK
	v := templates.Account{
		Common:             common(c),
		Email:              person.Email,
		Methods:            s.Methods(),
		AuthenticatedAt:    s.AuthenticatedAt(),
		Languages:          p.Session.Bundle.Languages(),
		StepUp:             p.Activation.StepUp.Needed(c),
		ActivationPassword: password,
	}
	if cause != nil {
		var err error
		if v.Problem, status, err = p.Renderer.problem(c, cause); err != nil {
			return err
		}
		v.Problem.Again = posted(c, "action", "id", "language")
	}
	list, err := p.Account.Sessions.List(c.Request.Context(), person.ID)
	if err != nil && password == "" { // which is shown whatever happens: the one before is void already
		return err
	}
	for _, other := range list {
		v.Sessions = append(v.Sessions, templates.Session{
			ID: other.ID, Current: other.ID == s.ID(), CreatedAt: other.CreatedAt, LastUsedAt: other.LastUsedAt,
			UserAgent: other.UserAgent, Address: other.Address, Methods: other.Methods,
		})
	}
	return p.Renderer.page(c, status, func(w io.Writer) error { return p.Renderer.Templates.Account(w, v) })
}
