package handlers

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/templates"
)

// AccountPage answers GET /account.
func (h Pages) AccountPage(c *gin.Context) error {
	return h.accountPage(c, http.StatusOK, nil)
}

// PostAccount answers POST /account: end-session, end-others, language,
// sign-out.
func (h Pages) PostAccount(c *gin.Context) (err error) {
	if err := readForm(c); err != nil {
		return err
	}
	ctx := c.Request.Context()
	var notice templates.Notice
	switch c.PostForm("action") {
	case "sign-out":
		return h.leave(c)
	case "end-session":
		if id := c.PostForm("id"); id == SessionOf(c).ID() {
			return h.leave(c)
		}
		notice = templates.NoticeSessionEnded
		err = endSession(c, h.Account.Sessions, h.Memory, c.PostForm("id"))
	case "end-others":
		notice = templates.NoticeSessionsEnded
		err = h.Account.Sessions.EndOthers(ctx, SessionOf(c))
	case "language":
		notice = templates.NoticeLanguage
		if !h.Session.Bundle.Has(c.PostForm("language")) {
			return violation("/language", "field.choice")
		}
		err = h.Session.Sessions.SetLanguage(ctx, SessionOf(c), c.PostForm("language"))
	default:
		return violation("/action", "field.choice")
	}
	if err != nil {
		return h.accountPage(c, 0, err)
	}
	return seeOther(c, "/account", notice)
}

// leave signs out and leads to the start page.
func (h Pages) leave(c *gin.Context) error {
	if err := signOut(c, h.Account.Sessions, h.Memory); err != nil {
		return err
	}
	return seeOther(c, "/", templates.NoticeSignedOut)
}

func (h Pages) accountPage(c *gin.Context, status int, cause error) error {
	person, err := RequirePerson(c)
	if err != nil {
		return err
	}
	s := SessionOf(c)
	p := templates.Account{
		Common:          common(c),
		Email:           person.Email,
		Methods:         s.Methods(),
		AuthenticatedAt: s.AuthenticatedAt(),
		Languages:       h.Session.Bundle.Languages(),
	}
	if cause != nil {
		if p.Problem, status, err = h.failed(c, cause); err != nil {
			return err
		}
		p.Problem.Again = posted(c, "action", "id", "language")
	}
	list, err := h.Account.Sessions.List(c.Request.Context(), person.ID)
	if err != nil {
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
