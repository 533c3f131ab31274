package verify

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
	"countersign/templates"
)

// VerificationPage is the page of one identity verification: its progress, its result,
// its files, and the actions that the person may take.
type VerificationPage struct {
	Renderer page.Renderer
	Verifications
}

// Show answers GET /verifications/{id}.
func (p VerificationPage) Show(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	return p.show(c, who, id, c.Query("ask"), nil)
}

// Continue answers GET /verifications/{id}/continue with a redirect to the platform's
// page, on which the person goes on.
func (p VerificationPage) Continue(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	address, err := p.Service.Continue(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	if address == "" {
		address = templates.VerificationsPath + "/" + id
	}
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// Post answers POST /verifications/{id}: cancel, audit-trail, erase, take-back.
func (p VerificationPage) Post(c *gin.Context) error {
	who, id, err := p.asked(c)
	if err != nil {
		return err
	}
	if err := request.Form(c); err != nil {
		return err
	}
	path := templates.VerificationsPath + "/" + id
	done, err := p.act(c, who, id)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		return page.SeeOther(c, "/login?"+url.Values{"next": {path + "?ask=erase"}}.Encode(), "")
	case err != nil:
		return p.show(c, who, id, c.PostForm("action"), err)
	case done == templates.NoticeVerificationErased:
		return page.SeeOther(c, templates.VerificationsPath, done)
	}
	return page.SeeOther(c, path, done)
}

// act carries out the form's action and returns the notice of its success.
func (p VerificationPage) act(c *gin.Context, who access.Actor, id string) (templates.Notice, error) {
	ctx := c.Request.Context()
	switch c.PostForm("action") {
	case "cancel":
		_, err := p.Service.Cancel(ctx, who, id)
		return templates.NoticeVerificationCancelled, err
	case "audit-trail":
		_, err := p.Service.GenerateTrail(ctx, who, id, false)
		return templates.NoticeVerificationTrail, err
	case "erase":
		days, err := graceOf(c.PostForm("days"))
		if err != nil {
			return "", err
		}
		done, err := p.Service.Erase(ctx, who, verification.Erasure{Days: days, IDs: []string{id}})
		if days == 0 {
			return templates.NoticeVerificationErased, only(id, done, err)
		}
		return templates.NoticeVerificationMarked, only(id, done, err)
	case "take-back":
		done, err := p.Service.TakeBack(ctx, who, []string{id})
		return templates.NoticeVerificationKept, only(id, done, err)
	}
	return "", request.Violation("/action", "field.choice")
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
	if text = strings.TrimSpace(text); text == "" {
		return defaultGrace, nil
	}
	days, err := strconv.Atoi(text)
	if err != nil || days < 0 || days > verification.MaxGrace {
		return 0, request.Violation("/days", "field.grace-period")
	}
	return days, nil
}

// show shows the verification. With a cause it also shows what went wrong with the form.
func (p VerificationPage) show(c *gin.Context, who access.Actor, id, asking string, cause error) error {
	d, err := p.Service.Details(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	v, status := verificationView(d), http.StatusOK
	v.Common, v.Asking = page.Common(c), asking
	if cause != nil {
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if asking == "erase" && fault.Is(cause, fault.RequestInvalid) {
			v.Days, v.WrongDays = c.PostForm("days"), v.Problem.Detail
		}
	}
	return p.Renderer.Render(c, status, func(w io.Writer) error { return p.Renderer.Templates.Verification(w, v) })
}

// verificationView returns a verification for its page.
func verificationView(d service.Details) templates.Verification {
	v := templates.Verification{
		VerificationItem: verificationItem(d.Item), Stage: d.Stage, Of: d.Of(), Active: d.Status.Active(),
		MayContinue: d.Status.Active() && d.MayPlay, MayErase: d.MayErase, TrailAsked: d.TrailAsked, TrailReady: d.TrailReady,
	}
	v.Status = string(d.Status)
	v.Steps = append(v.Steps, templates.Step{Trigger: verification.TriggerCreated, At: v.Created})
	for _, e := range d.Events() {
		if e.Trigger != verification.TriggerCreated {
			v.Steps = append(v.Steps, templates.Step(e))
		}
	}
	for _, one := range d.Verifications {
		v.Checks = append(v.Checks, templates.Check{Type: one.Type, Passed: d.Succeeded(one.ID)})
	}
	for _, document := range d.Documents {
		v.Documents = append(v.Documents, document.ID)
	}
	return v
}
