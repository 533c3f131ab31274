package handlers

import (
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/templates"
)

// AuthenticatorsPage answers GET /authenticators.
func (h Pages) AuthenticatorsPage(c *gin.Context) error {
	return h.authenticatorsPage(c, http.StatusOK, nil)
}

// PostAuthenticators answers POST /authenticators: rename, remove, end-others.
func (h Pages) PostAuthenticators(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	var notice templates.Notice
	id, back := c.PostForm("id"), url.Values{}
	switch c.PostForm("action") {
	case "rename":
		notice = templates.NoticeRenamed
		if c.PostForm("changed") != "" {
			back.Set("changed", "yes")
		}
		err = h.Authenticators.rename(c.Request.Context(), person.ID, id, c.PostForm("name"))
	case "remove":
		if c.PostForm("confirm") == "" {
			return seeOther(c, "/authenticators?"+url.Values{"remove": {id}}.Encode(), "")
		}
		notice = templates.NoticeRemoved
		_, err = h.Authenticators.remove(c, id, c.PostForm("confirm") == "last")
	case "end-others":
		notice = templates.NoticeSessionsEnded
		err = h.Account.Sessions.EndOthers(c.Request.Context(), request.From(c).Session)
	default:
		return request.Violation("/action", "field.choice")
	}
	if fault.Is(err, fault.SessionStepUp) {
		next := "/authenticators?" + url.Values{"remove": {id}}.Encode()
		return seeOther(c, "/login?"+url.Values{"next": {next}}.Encode(), "")
	}
	if err != nil {
		return h.authenticatorsPage(c, 0, err)
	}
	return seeOther(c, "/authenticators?"+back.Encode(), notice)
}

// authenticatorsPage shows the list; with cause, what went wrong with its form.
func (h Pages) authenticatorsPage(c *gin.Context, status int, cause error) error {
	p := templates.Authenticators{
		Common:   common(c),
		StepUp:   h.Authenticators.StepUp.Needed(c),
		Place:    c.Query("added"),
		Renaming: c.Query("rename"),
		Removing: c.Query("remove"),
	}
	var err error
	if cause != nil {
		if status, err = h.refusedForm(c, &p, cause); err != nil {
			return err
		}
	}
	if p.Authenticators, err = h.authenticators(c); err != nil {
		return err
	}
	if p.Place != "" {
		p.Added = newest(p.Authenticators)
	}
	if p.Changed = p.Added != "" || p.Notice == templates.NoticeRemoved || c.Query("changed") != "" || c.PostForm("changed") != ""; p.Changed {
		list, err := h.Account.Sessions.List(c.Request.Context(), p.Person.ID)
		if err != nil {
			return err
		}
		p.OtherSessions = max(0, len(list)-1)
	}
	return page(c, status, func(w io.Writer) error { return h.Templates.Authenticators(w, p) })
}

// refusedForm puts on the page what was wrong with its form, which stays open as
// it was sent, and returns the page's status.
func (h Pages) refusedForm(c *gin.Context, p *templates.Authenticators, cause error) (status int, err error) {
	if p.Problem, status, err = h.failed(c, cause); err != nil {
		return 0, err
	}
	p.Problem.Again = posted(c, "action", "id", "name", "confirm", "changed")
	switch c.PostForm("action") {
	case "rename":
		p.Renaming, p.Typed = c.PostForm("id"), c.PostForm("name")
	case "remove":
		p.Removing = c.PostForm("id")
	}
	return status, nil
}

func (h Pages) authenticators(c *gin.Context) ([]templates.Authenticator, error) {
	person, err := request.RequirePerson(c)
	if err != nil {
		return nil, err
	}
	list, err := h.Authenticators.Identity.Authenticators(c.Request.Context(), person.ID)
	if err != nil {
		return nil, err
	}
	only := len(list) == 1 && onlyAuthenticators(request.From(c).Session.Methods())
	out := make([]templates.Authenticator, 0, len(list))
	for _, a := range list {
		out = append(out, templates.Authenticator{
			ID: a.ID, Name: a.Name, Protocol: a.Protocol, Provider: provider(a.AAGUID),
			CreatedAt: a.CreatedAt, LastUsedAt: a.LastUsedAt, Last: only,
		})
	}
	return out, nil
}

// newest is the id of the authenticator registered last.
func newest(list []templates.Authenticator) string {
	if len(list) == 0 {
		return ""
	}
	return slices.MaxFunc(list, func(a, b templates.Authenticator) int { return a.CreatedAt.Compare(b.CreatedAt) }).ID
}
