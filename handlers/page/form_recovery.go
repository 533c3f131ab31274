package page

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/internal/formrecovery"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/templates"
)

// FormRecovery keeps a form submitted after the session expired, from pages without the
// scripts that keep what was typed, and restores it after sign-in.
type FormRecovery struct {
	Forms   *formrecovery.Store // nil: none is kept
	Limiter *ratelimit.Limiter
	// Limit limits the forms kept from one address.
	Limit ratelimit.Limit
}

// markQuery is the parameter with the mark of a kept form.
const markQuery = "left"

// KeepExpired keeps the form of a signed-out client, and lets a signed-in one through. If the
// form cannot be kept, the client is asked to sign in all the same.
func (f FormRecovery) KeepExpired(c *gin.Context) error {
	if !f.Expired(c) {
		return nil
	}
	if err := request.Form(c); err != nil {
		request.LogCause(c, err)
		return nil
	}
	form := c.Request.PostForm
	f.Keep(c, form.Get("ticket"), map[string]string{"form": form.Encode()}, NoticeNotDone)
	return nil
}

// Expired reports whether the form of the request is to be kept. It is called before the
// form is read.
func (f FormRecovery) Expired(c *gin.Context) bool {
	if _, signedIn := request.Person(c); signedIn || f.Forms == nil || request.FromProgram(c.Request) {
		return false
	}
	from := ratelimit.Network(request.From(c).Address)
	err := f.Limiter.Take(c.Request.Context(), ratelimit.Count{Name: "left", Subject: from, Limit: f.Limit})
	if err != nil {
		request.LogCause(c, err)
	}
	return err == nil
}

// Keep stores what was typed for the person with the ticket, and redirects by way of the
// sign-in back to the page, with a notice.
func (f FormRecovery) Keep(c *gin.Context, ticket string, typed map[string]string, notice templates.Notice) {
	mark, err := f.Forms.Keep(c.Request.Context(), ticket, typed)
	if err != nil {
		request.LogCause(c, err)
	}
	if err != nil || mark == "" {
		return
	}
	back := *c.Request.URL
	query := back.Query()
	query.Set(markQuery, mark)
	if notice != "" {
		query.Set("notice", string(notice))
	}
	back.RawQuery = query.Encode()
	_ = SeeOther(c, "/login?"+url.Values{"next": {back.RequestURI()}}.Encode(), "")
	c.Abort()
}

// Restored returns what was kept for the person who opens the page; nil for nothing.
func (f FormRecovery) Restored(c *gin.Context) map[string]string {
	person, ok := request.Person(c)
	if !ok || f.Forms == nil {
		return nil
	}
	typed, err := f.Forms.Find(c.Request.Context(), person.ID, c.Query(markQuery))
	if err != nil {
		request.LogCause(c, err)
	}
	return typed
}

// RestoredForm returns the form that KeepExpired kept for the person who opens the page;
// nil for none.
func (f FormRecovery) RestoredForm(c *gin.Context) url.Values {
	form, err := url.ParseQuery(f.Restored(c)["form"])
	if err != nil || len(form) == 0 {
		return nil
	}
	return form
}

// Mark returns the mark of the kept form that the page is opened with; "" for none.
func (FormRecovery) Mark(c *gin.Context) string { return c.Query(markQuery) }

// Forget drops the kept form with that mark, which has been sent since; "" is none.
func (f FormRecovery) Forget(c *gin.Context, mark string) {
	person, ok := request.Person(c)
	if !ok || mark == "" {
		return
	}
	if err := f.Forms.Forget(c.Request.Context(), person.ID, mark); err != nil {
		request.LogCause(c, err)
	}
}

// Ticket returns the ticket for the page that is shown; empty when signed out or where no
// form is kept.
func (f FormRecovery) Ticket(c *gin.Context) string {
	person, ok := request.Person(c)
	if !ok || f.Forms == nil {
		return ""
	}
	return f.Forms.Ticket(person.ID)
}
