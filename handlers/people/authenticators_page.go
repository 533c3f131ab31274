package people

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/templates"
)

var authenticatorsTemplate = page.For[templates.Authenticators]("authenticators")

// AuthenticatorsPage lists a person's authenticators, to be renamed and removed.
type AuthenticatorsPage struct {
	Renderer       page.Renderer
	Authenticators Authenticators
	Account        Account
}

// Routes returns the addresses of the page.
func (p AuthenticatorsPage) Routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/authenticators", Serve: p.get},
		{Method: http.MethodPost, Path: "/authenticators", Serve: p.post},
	}
}

// get answers GET /authenticators. An older sign-in is renewed before the person is asked
// whether to remove an authenticator, so that the answer counts.
func (p AuthenticatorsPage) get(c *gin.Context) error {
	if id := c.Query("remove"); id != "" && p.Authenticators.StepUp.Needed(c) {
		return signInFirst(c, templates.AuthenticatorsPath(page.SigningPath(c.Query("next")), "remove", id))
	}
	return p.show(c, http.StatusOK, nil)
}

// post answers POST /authenticators: rename, remove, end-others.
func (p AuthenticatorsPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	if !slices.Contains([]string{"rename", "remove", "end-others"}, c.PostForm("action")) {
		return payload.Violation("/action", "field.choice")
	}
	id, next := c.PostForm("id"), page.SigningPath(c.PostForm("next"))
	removal := templates.AuthenticatorsPath(next, "remove", id)
	if c.PostForm("action") == "remove" && c.PostForm("confirm") == "" {
		return page.SeeOther(c, removal, "")
	}
	notice, err := p.act(c, id)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		return signInFirst(c, removal)
	case err != nil:
		return p.show(c, 0, err)
	}
	changed := ""
	if notice == page.NoticeRenamed && c.PostForm("changed") != "" {
		changed = "yes"
	}
	return page.SeeOther(c, templates.AuthenticatorsPath(next, "changed", changed), notice)
}

// signInFirst leads to the sign-in, and from there to path.
func signInFirst(c *gin.Context, path string) error {
	return page.SeeOther(c, "/login?"+url.Values{"next": {path}}.Encode(), "")
}

// act carries out the form's action, and returns the notice to show.
func (p AuthenticatorsPage) act(c *gin.Context, id string) (templates.Notice, error) {
	switch c.PostForm("action") {
	case "rename":
		return page.NoticeRenamed, p.Authenticators.rename(c, request.From(c).Person, id, c.PostForm("name"))
	case "remove":
		_, err := p.Authenticators.remove(c, id, c.PostForm("confirm") == "last")
		return page.NoticeRemoved, err
	}
	return page.NoticeSessionsEnded, p.Account.endOthers(c)
}

// show shows the list, with the problem of a form's error, if any.
func (p AuthenticatorsPage) show(c *gin.Context, status int, cause error) error {
	v := templates.Authenticators{
		Common:   page.Common(c),
		StepUp:   p.Authenticators.StepUp.Needed(c),
		Place:    c.Query("added"),
		Renaming: c.Query("rename"),
		Removing: c.Query("remove"),
		Next:     page.SigningPath(cmp.Or(c.Query("next"), c.PostForm("next"))),
	}
	var err error
	if cause != nil {
		if status, err = p.refuse(c, &v, cause); err != nil {
			return err
		}
	}
	if v.Authenticators, err = p.list(c); err != nil {
		return err
	}
	if v.Place != "" {
		v.Added = newest(v.Authenticators)
	}
	if err = p.offerEnding(c, &v); err != nil {
		return err
	}
	return authenticatorsTemplate.Show(c, p.Renderer, status, v)
}

// offerEnding offers, after a change, to end the person's other sessions.
func (p AuthenticatorsPage) offerEnding(c *gin.Context, v *templates.Authenticators) error {
	v.Changed = v.Added != "" || v.Notice == page.NoticeRemoved || c.Query("changed") != "" || c.PostForm("changed") != ""
	if !v.Changed {
		return nil
	}
	list, err := p.Account.Sessions.List(c.Request.Context(), v.Person.ID)
	v.OtherSessions = max(0, len(list)-1)
	return err
}

// refuse shows on the page the problem of its form, which stays open as it was submitted,
// and returns the page's status.
func (p AuthenticatorsPage) refuse(c *gin.Context, v *templates.Authenticators, cause error) (status int, err error) {
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return 0, err
	}
	v.Problem.Again = page.PostedFields(c, "action", "id", "name", "confirm", "changed", "next")
	switch c.PostForm("action") {
	case "rename":
		v.Renaming, v.Typed = c.PostForm("id"), c.PostForm("name")
	case "remove":
		v.Removing = c.PostForm("id")
	}
	return status, nil
}

func (p AuthenticatorsPage) list(c *gin.Context) ([]templates.Authenticator, error) {
	person, err := request.RequirePerson(c)
	if err != nil {
		return nil, err
	}
	list, err := p.Authenticators.list(c, person.ID)
	if err != nil {
		return nil, err
	}
	only := len(list) == 1 && onlyAuthenticators(request.From(c).Session.Methods())
	out := make([]templates.Authenticator, 0, len(list))
	for _, a := range list {
		out = append(out, authenticatorView(a, only))
	}
	return out, nil
}

// newest returns the id of the authenticator that was registered last.
func newest(list []templates.Authenticator) string {
	if len(list) == 0 {
		return ""
	}
	return slices.MaxFunc(list, func(a, b templates.Authenticator) int { return a.CreatedAt.Compare(b.CreatedAt) }).ID
}
