package people

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/templates"
)

var (
	peopleTemplate = page.For[peopleView]("people")
	personTemplate = page.For[personView]("person")
)

// PeoplePage is the pages on which operators find a person and act on their account.
type PeoplePage struct {
	Renderer page.Renderer
	People
}

// Show answers GET /people: the form, or with ?user the way to the person's page. A search
// is answered with the people who were found, as a page or, to a client that prefers that, as
// JSON; on the page a whole user name leads to the person's page.
func (p PeoplePage) Show(c *gin.Context) error {
	if typed := safetext.Visible(c.Query("user")); typed != "" {
		user, ok := p.Users.Canonical(typed)
		if !ok {
			return p.find(c, http.StatusBadRequest, typed, request.Misspelled(typed))
		}
		return page.SeeOther(c, personPath(user), "")
	}
	switch user, whole := p.Users.Canonical(safetext.Visible(c.Query("userID"))); {
	case !searched(c):
		return p.find(c, http.StatusOK, "", "")
	case !PrefersPage(c.Request):
		return p.Search(c)
	case whole:
		return page.SeeOther(c, personPath(user), "")
	}
	return p.found(c)
}

// found shows the people who were found, or what is wrong.
func (p PeoplePage) found(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	s, err := searchOf(c)
	v, status := peopleView{Common: page.Common(c), User: s.UserID, Name: s.DisplayName, Email: s.EmailAddress, Searched: true}, http.StatusOK
	s.Limit = platform.MostFound
	var found platform.Found
	if err == nil {
		found, err = p.Service.Search(c.Request.Context(), who, s)
	}
	if err != nil {
		v.Searched = false
		if v.Problem, status, err = p.Renderer.Problem(c, err); err != nil {
			return err
		}
	}
	for _, one := range found.Users {
		v.Found = append(v.Found, foundRow{one})
	}
	v.First, v.Count = s.Offset+1, found.Total
	if s.Offset > 0 {
		v.Previous = v.PathFrom(max(0, s.Offset-s.Limit))
	}
	if s.Offset+s.Limit < found.Total {
		v.Next = v.PathFrom(s.Offset + s.Limit)
	}
	return peopleTemplate.Show(c, p.Renderer, status, v)
}

// find shows the form; wrong is the message that says what is wrong with the typed name, or
// "".
func (p PeoplePage) find(c *gin.Context, status int, typed, wrong string) error {
	v := peopleView{Common: page.Common(c), User: typed}
	if wrong != "" {
		v.Wrong = p.Renderer.Bundle.For(request.From(c).Language).T(wrong)
	}
	return peopleTemplate.Show(c, p.Renderer, status, v)
}

// One answers GET /people/{user}: the page, or JSON to a client that prefers it.
func (p PeoplePage) One(c *gin.Context) error {
	if !PrefersPage(c.Request) {
		return p.People.Show(c)
	}
	who, user, err := p.asked(c)
	if err != nil {
		return err
	}
	return p.show(c, who, user, nil)
}

// Post answers POST /people/{user}: end-all, end, remove, unlock, enable.
func (p PeoplePage) Post(c *gin.Context) error {
	who, user, err := p.asked(c)
	if err == nil {
		err = p.Service.Operators(who)
	}
	if err == nil {
		err = request.Form(c)
	}
	if err != nil {
		return err
	}
	done, err := p.act(c, who, user)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		back := personPath(user) + "?" + url.Values{"ask": {c.PostForm("action")}, "id": {c.PostForm("id")}}.Encode()
		return page.SeeOther(c, "/login?"+url.Values{"next": {back}}.Encode(), "")
	case err != nil:
		who.Changing = false // nothing was changed, and the person is shown
		return p.show(c, who, user, err)
	}
	return page.SeeOther(c, personPath(user), done)
}

// lines puts the lines of a text into one.
var lines = strings.NewReplacer("\r\n", " ", "\n", " ")

// act carries out the form's action, and returns the notice to show.
func (p PeoplePage) act(c *gin.Context, who access.Actor, user string) (templates.Notice, error) {
	ctx, id := c.Request.Context(), c.PostForm("id")
	reason := lines.Replace(c.PostForm("reason")) // of a field that takes more than one
	switch c.PostForm("action") {
	case "end-all":
		return page.NoticePersonSessionsEnded, p.Service.EndAll(ctx, who, user, reason)
	case "end":
		return page.NoticePersonSessionEnded, p.Service.End(ctx, who, user, id, reason)
	case "remove":
		return page.NoticePersonRemoved, p.Service.Remove(ctx, who, user, id, reason, c.PostForm("confirm") == "last")
	case "unlock":
		return page.NoticePersonUnlocked, p.Service.Unlock(ctx, who, user, reason)
	case "enable":
		return page.NoticePersonEnabled, p.Service.Enable(ctx, who, user, reason)
	}
	return "", payload.Violation("/action", "field.choice")
}

// show shows the person, with the problem of a form's error, if any. While the platform is
// away, what is known here is shown.
func (p PeoplePage) show(c *gin.Context, who access.Actor, user string, cause error) error {
	one, err := p.Service.Find(c.Request.Context(), who, user)
	away := page.Retryable(err) && fault.From(err).Key != fault.SessionUnavailable && fault.From(err).Key != fault.ServerUnavailable && one.ID != ""
	switch {
	case err == nil:
	case fault.Is(err, fault.RequestNotFound) && who.Operator:
		return p.find(c, http.StatusNotFound, user, "field.nobody")
	case !away:
		return err
	case cause == nil:
		request.LogCause(c, err)
	}
	v, status := personOf(c, one), http.StatusOK
	v.Away = err != nil
	v.Asking, v.AskingID, v.Reason = c.Query("ask"), c.Query("id"), c.PostForm("reason")
	if cause != nil {
		v.Asking, v.AskingID = c.PostForm("action"), c.PostForm("id")
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if fields := fault.From(cause).Fields; len(fields) > 0 && fields[0].Pointer == "/reason" {
			v.WrongReason = v.Problem.Detail
		}
	}
	return personTemplate.Show(c, p.Renderer, status, v)
}
