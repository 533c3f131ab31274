package verify

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
	"countersign/templates"
)

var (
	finishedTemplate     = page.For[templates.Common]("verification-finished")
	verificationTemplate = page.For[verificationView]("verification")
)

// verificationPage is the page of one identity verification: its progress, its result,
// its files, and the actions that the person may take.
type verificationPage struct{ Verifications }

func (p verificationPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/verifications/:id", Serve: p.get},
		{Method: http.MethodPost, Path: "/verifications/:id", Serve: p.post},
		{Method: http.MethodGet, Path: "/verifications/:id/continue", Serve: p.resume},
		{Method: http.MethodGet, Path: "/verifications/:id/finished", SignedOut: true, Serve: p.finished},
	}
}

// get answers GET /verifications/{id}.
func (p verificationPage) get(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	return p.show(c, who, id, pageExtras{asking: c.Query("ask")})
}

// resume answers GET /verifications/{id}/continue with a redirect to the platform's
// page, on which the person goes on.
func (p verificationPage) resume(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	address, err := p.Service.Continue(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	if address == "" {
		address = verificationsPath + "/" + id
	}
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// finished answers GET /verifications/{id}/finished, to which the platform's page leads who
// was checked for somebody else, signed in or not. Who sees the verification goes on to its
// page; everybody else reads that they are done, whether the verification exists or not.
func (p verificationPage) finished(c *gin.Context) error {
	if _, signedIn := request.Person(c); signedIn {
		who, id, err := p.asked(c)
		if err == nil {
			_, err = p.Service.Get(c.Request.Context(), who, id)
		}
		switch {
		case err == nil:
			return page.SeeOther(c, verificationsPath+"/"+id, "")
		case !fault.Is(err, fault.RequestNotFound):
			return err
		}
	}
	return finishedTemplate.Show(c, p.Renderer, http.StatusOK, page.Common(c))
}

// post answers POST /verifications/{id}: cancel, audit-trail, erase, take-back, again, and
// link, whose answer is the page with the link: no address leads to it again.
func (p verificationPage) post(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	if err := request.Form(c); err != nil {
		return err
	}
	path := verificationsPath + "/" + id
	switch c.PostForm("action") {
	case "link":
		link, err := p.Service.Link(c.Request.Context(), who, id)
		who.Changing = false // the verification is shown
		return p.show(c, who, id, pageExtras{link: link, cause: err})
	case "again":
		return p.again(c, who, id)
	}
	done, err := p.act(c, who, id)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		return page.SeeOther(c, "/login?"+url.Values{"next": {path + "?ask=erase"}}.Encode(), "")
	case err != nil:
		who.Changing = false // nothing was changed, and the verification is shown
		return p.show(c, who, id, pageExtras{asking: c.PostForm("action"), cause: err})
	case done == page.NoticeVerificationErased: // its row is among those that are done
		return page.SeeOther(c, verificationsPath+"?tab=done", done)
	}
	return page.SeeOther(c, path, done)
}

// again starts a new verification with the same person. The same form, sent twice, starts
// only one.
func (p verificationPage) again(c *gin.Context, who access.Actor, id string) error {
	key, next := "", page.SigningPath(c.PostForm("next"))
	if once := c.PostForm("once"); once != "" {
		key = keyOf(once, id)
	}
	t, replayed, err := p.Service.Again(c.Request.Context(), who, id, func(self bool) string { return backTo(p.PublicOrigin, next, self) }, key)
	switch {
	case fault.Is(err, fault.RequestIdempotencyBusy): // the verification will be in the list
		return page.SeeOther(c, verificationsPath, "")
	case err != nil && !replayed:
		who.Changing = false // nothing was changed, and the verification is shown
		return p.show(c, who, id, pageExtras{cause: err})
	}
	p.once(c).Spend()
	if err != nil {
		return err
	}
	return page.SeeOther(c, verificationPath(t.ID, next), "")
}

func (p verificationPage) once(c *gin.Context) page.FormToken {
	return page.FormTokenOf(c, verificationsPath, p.PublicOrigin)
}

// act carries out the form's action and returns the notice of its success.
func (p verificationPage) act(c *gin.Context, who access.Actor, id string) (templates.Notice, error) {
	ctx := c.Request.Context()
	switch c.PostForm("action") {
	case "cancel":
		_, err := p.Service.Cancel(ctx, who, id)
		return page.NoticeVerificationCancelled, err
	case "audit-trail":
		_, err := p.Service.GenerateTrail(ctx, who, id, false)
		return page.NoticeVerificationTrail, err
	case "erase":
		days, err := graceOf(c.PostForm("days"))
		if err != nil {
			return "", err
		}
		done, err := p.Service.Erase(ctx, who, verification.Erasure{Days: days, IDs: []string{id}})
		if days == 0 {
			return page.NoticeVerificationErased, only(id, done, err)
		}
		return page.NoticeVerificationMarked, only(id, done, err)
	case "take-back":
		done, err := p.Service.TakeBack(ctx, who, []string{id})
		return page.NoticeVerificationKept, only(id, done, err)
	}
	return "", payload.Violation("/action", "field.choice")
}

// only returns the error of an erasure of one id: err, or verification.state if the
// platform did not accept the id.
func only(id string, done map[string]bool, err error) error {
	if err == nil && !done[id] {
		err = fault.New(fault.VerificationState)
	}
	return err
}

// defaultGrace is the grace period, in days, if none was typed.
const defaultGrace = 30

// graceOf reads the grace period, in days.
func graceOf(text string) (int, error) {
	if text = payload.NormalNumber(text); text == "" {
		return defaultGrace, nil
	}
	days, err := strconv.Atoi(text)
	if err != nil || days < 0 || days > verification.MaxGrace {
		return 0, payload.Violation("/days", "field.grace-period")
	}
	return days, nil
}

// pageExtras says what the page shows besides the verification: the open question, a link that
// was just made, and why a form was refused.
type pageExtras struct {
	asking string
	link   service.Link
	cause  error
}

// show shows the verification.
func (p verificationPage) show(c *gin.Context, who access.Actor, id string, with pageExtras) error {
	d, err := p.Service.Details(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	v, status := viewOf(d), http.StatusOK
	v.Common, v.Asking, v.Back = page.Common(c), with.asking, page.SigningPath(c.Query("next"))
	v.Link, v.LinkUntil, v.LinkLifetime = with.link.URL, with.link.Until, p.Service.LinkLifetime
	v.MayTryAgain = d.MayPlay && v.ResultID == failedID && p.Service.MayStart(who.Person) == nil
	if v.MayTryAgain {
		v.Once = p.once(c).After(with.cause, c.PostForm("once"))
	}
	if v.MayContinue && d.Self {
		v.PhoneAddress = p.PublicOrigin + verificationsPath + "/" + id
	}
	if with.cause != nil {
		if v.Problem, status, err = p.Renderer.Problem(c, with.cause); err != nil {
			return err
		}
		if with.asking == "erase" && fault.Is(with.cause, fault.RequestInvalid) {
			v.Days, v.WrongDays = c.PostForm("days"), v.Problem.Detail
		}
	}
	return verificationTemplate.Show(c, p.Renderer, status, v)
}
