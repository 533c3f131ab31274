package portal

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var recipientTemplate = page.For[recipientView]("recipient")

// recipientView is "/packages/{id}/recipients/{role}", where a recipient is corrected. Its form
// posts urlencoded there, with the inputs of a recipient of editorView.
type recipientView struct {
	templates.Common
	inputs
	// ID is the package's id, Name its name.
	ID, Name  string
	Recipient compose.Recipient
	// Ticket identifies the person who is shown the page, for a form sent after the
	// session ended.
	Ticket string
}

// recipientPage is the page on which a recipient who has not signed is corrected.
type recipientPage struct{ Packages }

func (p recipientPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/:id/recipients/:role", Serve: p.get},
		{Method: http.MethodPost, Path: "/packages/:id/recipients/:role", KeepExpired: p.Recovery.KeepExpired, Serve: p.post},
	}
}

// get answers GET /packages/{id}/recipients/{role}.
func (p recipientPage) get(c *gin.Context) error {
	_, id, err := p.allowed(c)
	if err != nil {
		return err
	}
	correction, err := p.Drafts.Recipient(c.Request.Context(), id, c.Param("role"))
	if err != nil {
		return err
	}
	correction.Recipient.Type(single(p.Recovery.RestoredForm(c)))
	return p.show(c, id, correction, nil)
}

// post answers POST /packages/{id}/recipients/{role}.
func (p recipientPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	who, id, unread := p.allowed(c)
	correction := compose.NewCorrection()
	var refused error
	if unread == nil { // one at a time, so that the same press twice invites once
		unread = p.Service.WithPackageLock(c.Request.Context(), id, func(ctx context.Context) (err error) {
			if correction, err = p.Drafts.Recipient(ctx, id, c.Param("role")); err == nil {
				correction.Recipient.Type(single(c.Request.PostForm))
				refused = p.Drafts.Correct(ctx, correction)
			}
			return err
		})
	}
	switch {
	case unread != nil && !page.Retryable(unread):
		return unread
	case unread != nil:
		correction.Recipient.Type(single(c.Request.PostForm))
		return p.show(c, c.Param("id"), correction, unread)
	case refused != nil:
		return p.show(c, id, correction, refused)
	}
	p.Service.Done(c.Request.Context(), who, service.Change{Operation: "updateRole", Package: id, Effect: service.Changed, People: []string{correction.Recipient.Email}})
	return page.SeeOther(c, packagePath(id), page.NoticeCorrected)
}

// single returns the first value of each input, as a text may be; nil if there is none.
func single(form url.Values) (typed map[string]string) {
	for name := range form {
		if typed == nil {
			typed = map[string]string{}
		}
		typed[name] = safetext.Prose(form.Get(name))
	}
	return typed
}

// allowed returns the person who asks and the package's id, or an error if the person may not
// correct its recipients.
func (p recipientPage) allowed(c *gin.Context) (who access.Actor, id string, err error) {
	who, id, err = p.changeable(c)
	if err == nil && !signing.ValidID(c.Param("role")) {
		err = fault.New(fault.RequestNotFound)
	}
	return who, id, err
}

// show shows the form. With a cause it also shows what went wrong.
func (p recipientPage) show(c *gin.Context, id string, correction *compose.Correction, cause error) error {
	v := recipientView{Common: page.Common(c), ID: id, Name: correction.Package, Ticket: p.Recovery.Ticket(c), Recipient: correction.Recipient}
	status := http.StatusOK
	if cause != nil {
		var err error
		if v.Problem, v.Wrong, status, err = p.Renderer.FieldProblems(c, cause); err != nil {
			return err
		}
		v.first = firstOf(recipientPart{Recipient: correction.Recipient}.inputs(), v.Wrong)
	}
	return recipientTemplate.Show(c, p.Renderer, status, v)
}
