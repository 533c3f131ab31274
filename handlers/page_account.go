package handlers

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/templates"
)

// AccountPage answers GET /account.
func (h Pages) AccountPage(c *gin.Context) error {
	return h.accountPage(c, "", nil)
}

// PostAccount answers POST /account: activation-password, end-session,
// end-others, language, sign-out.
func (h Pages) PostAccount(c *gin.Context) (err error) {
	if err := request.Form(c); err != nil {
		return err
	}
	ctx := c.Request.Context()
	var notice templates.Notice
	switch c.PostForm("action") {
	case "sign-out":
		return h.leave(c)
	case "activation-password":
		return h.activationPassword(c)
	case "end-session":
		if id := c.PostForm("id"); id == request.From(c).Session.ID() {
			return h.leave(c)
		}
		notice = templates.NoticeSessionEnded
		err = endSession(c, h.Account.Sessions, h.Memory, c.PostForm("id"))
	case "end-others":
		notice = templates.NoticeSessionsEnded
		err = h.Account.Sessions.EndOthers(ctx, request.From(c).Session)
	case "language":
		notice = templates.NoticeLanguage
		if !h.Session.Bundle.Has(c.PostForm("language")) {
			return request.Violation("/language", "field.choice")
		}
		err = h.Session.setLanguage(c, c.PostForm("language"))
	default:
		return request.Violation("/action", "field.choice")
	}
	if err != nil {
		return h.accountPage(c, "", err)
	}
	return seeOther(c, "/account", notice)
}

// activationPassword shows a new activation password in the answer itself, where
// other forms lead on: kept for the next page, it would have to be kept
// somewhere. To load the page again asks for another, as the browser says first.
func (h Pages) activationPassword(c *gin.Context) error {
	password, err := h.Activation.password(c)
	if fault.Is(err, fault.SessionStepUp) {
		return seeOther(c, templates.ActivationSignIn, "")
	}
	return h.accountPage(c, password, err)
}

// leave signs out and leads to the start page.
func (h Pages) leave(c *gin.Context) error {
	if err := signOut(c, h.Account.Sessions, h.Memory); err != nil {
		return err
	}
	return seeOther(c, "/", templates.NoticeSignedOut)
}

// accountPage shows the account; with password, what was asked for, and with
// cause, what went wrong with its form.
func (h Pages) accountPage(c *gin.Context, password string, cause error) error {
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	s, status := request.From(c).Session, http.StatusOK
	p := templates.Account{
		Common:             common(c),
		Email:              person.Email,
		Methods:            s.Methods(),
		AuthenticatedAt:    s.AuthenticatedAt(),
		Languages:          h.Session.Bundle.Languages(),
		StepUp:             h.Activation.StepUp.Needed(c),
		ActivationPassword: password,
	}
	if cause != nil {
		if p.Problem, status, err = h.failed(c, cause); err != nil {
			return err
		}
		p.Problem.Again = posted(c, "action", "id", "language")
	}
	list, err := h.Account.Sessions.List(c.Request.Context(), person.ID)
	if err != nil && password == "" { // which is shown whatever happens: the one before is void already
		return err
	}
	for _, other := range list {
		p.Sessions = append(p.Sessions, templates.Session{
			ID: other.ID, Current: other.ID == s.ID(), CreatedAt: other.CreatedAt, LastUsedAt: other.LastUsedAt,
			UserAgent: other.UserAgent, Address: other.Address, Methods: other.Methods,
		})
	}
	return page(c, status, func(w io.Writer) error { return h.Templates.Account(w, p) })
}
