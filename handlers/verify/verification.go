package verify

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/templates"
)

// VerificationPage is one identity verification: how far it is, what came of it, what
// belongs to it, and what can be done.
type VerificationPage struct {
	Renderer page.Renderer
	Verifications
}

// Show answers GET /verifications/{id}.
func (p VerificationPage) Show(c *gin.Context) error {
	id, grant, err := p.grant(c)
	if err != nil {
		return err
	}
	return p.show(c, id, grant, c.Query("ask"), nil)
}

// Continue answers GET /verifications/{id}/continue: it leads to the platform's page, where
// the person goes on.
func (p VerificationPage) Continue(c *gin.Context) error {
	id, grant, err := p.grant(c)
	if err != nil {
		return err
	}
	if !grant.MayPlay() {
		return fault.New(fault.RequestNotFound)
	}
	t, err := p.current(c, id)
	if err != nil {
		return err
	}
	if !t.Status.Active() {
		return page.SeeOther(c, templates.VerificationsPath+"/"+id, "")
	}
	address, err := p.playAt(c, t)
	if err != nil {
		return err
	}
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// Post answers POST /verifications/{id}: cancel, audit-trail, erase, take-back.
func (p VerificationPage) Post(c *gin.Context) error {
	id, grant, err := p.grant(c)
	if err != nil {
		return err
	}
	if err := request.Form(c); err != nil {
		return err
	}
	path := templates.VerificationsPath + "/" + id
	done, err := p.act(c, id, grant)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		return page.SeeOther(c, "/login?"+url.Values{"next": {path + "?ask=erase"}}.Encode(), "")
	case err != nil:
		return p.show(c, id, grant, c.PostForm("action"), err)
	case done == templates.NoticeVerificationErased:
		return page.SeeOther(c, templates.VerificationsPath, done)
	}
	return page.SeeOther(c, path, done)
}

// act does what the form asks for, and returns what to say of it.
func (p VerificationPage) act(c *gin.Context, id string, grant index.Grant) (templates.Notice, error) {
	switch c.PostForm("action") {
	case "cancel":
		return templates.NoticeVerificationCancelled, p.audited(c, audit.Event{Operation: "cancelTransaction", Subject: id}, grant, p.cancel(c, id))
	case "audit-trail":
		return templates.NoticeVerificationTrail, p.audited(c, audit.Event{Operation: "generateAuditTrail", Subject: id}, grant, p.makeTrail(c, id))
	case "erase":
		notice, err := p.erase(c, id, grant)
		return notice, p.audited(c, audit.Event{Operation: "markForErasure", Subject: id}, grant, err)
	case "take-back":
		return templates.NoticeVerificationKept, p.audited(c, audit.Event{Operation: "unmarkForErasure", Subject: id}, grant, p.takeBack(c, id, grant))
	}
	return "", request.Violation("/action", "field.choice")
}

// show shows the verification; with cause, what went wrong with its form.
func (p VerificationPage) show(c *gin.Context, id string, grant index.Grant, asking string, cause error) error {
	t, err := p.current(c, id)
	if err != nil {
		return err
	}
	v, status := templates.Verification{Common: page.Common(c), Asking: asking}, http.StatusOK
	if cause != nil {
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if asking == "erase" && fault.Is(cause, fault.RequestInvalid) {
			v.Days, v.WrongDays = c.PostForm("days"), v.Problem.Detail
		}
	}
	if err := p.fill(c, &v, t); err != nil {
		return err
	}
	v.MayContinue, v.MayErase = v.Active && grant.MayPlay(), grant.MayErase(p.StartersErase)
	return p.Renderer.Render(c, status, func(w io.Writer) error { return p.Renderer.Templates.Verification(w, v) })
}

// fill puts on the page what is known of t.
func (p VerificationPage) fill(c *gin.Context, v *templates.Verification, t verification.Transaction) error {
	item, ok, err := p.Access.Item(c.Request.Context(), t.ID)
	if err != nil {
		return err
	}
	if !ok {
		return fault.Wrap(fault.ServerUnavailable, fmt.Errorf("the index lost a transaction that it was told of"))
	}
	v.VerificationItem = verificationItem(item)
	v.Status, v.Active, v.Stage, v.Of = string(t.Status), t.Status.Active(), t.Stage, t.Of()
	v.Steps = append(v.Steps, templates.Step{Trigger: verification.TriggerCreated, At: v.Created})
	for _, e := range t.Events() {
		if e.Trigger != verification.TriggerCreated {
			v.Steps = append(v.Steps, templates.Step(e))
		}
	}
	for _, one := range t.Verifications {
		v.Checks = append(v.Checks, templates.Check{Type: one.Type, Passed: t.Succeeded(one.ID)})
	}
	for _, d := range t.Documents {
		v.Documents = append(v.Documents, d.ID)
	}
	trail, underWay, err := p.Access.Trail(c.Request.Context(), t.ID)
	v.TrailReady = t.HasTrail() && trail != ""
	v.TrailAsked = v.TrailReady || underWay
	return err
}
