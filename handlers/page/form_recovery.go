package page

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/internal/formrecovery"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/templates"
)

// FormRecovery keeps a form that somebody sends after their session has ended, without
// scripts that keep what was typed, and restores it when they have signed in again.
type FormRecovery struct {
	Forms   *formrecovery.Store
	Limiter *ratelimit.Limiter
	// Limit bounds how many are left from one address.
	Limit ratelimit.Limit
}

// leftQuery names in an address what was left for whoever opens it.
const leftQuery = "left"

// Leave lets whoever is signed in on, and leaves the form of whoever is not any more. What
// cannot be left is not missed: they sign in all the same.
func (l FormRecovery) Leave(c *gin.Context) error {
	if !l.MustKeep(c) {
		return nil
	}
	if err := request.Form(c); err != nil {
		request.LogCause(c, err)
		return nil
	}
	form := c.Request.PostForm
	l.Keep(c, form.Get("ticket"), map[string]string{"form": form.Encode()}, "")
	return nil
}

// leaves reports whether the form of the request is to be left. It is asked before anything
// of it is read.
func (l FormRecovery) MustKeep(c *gin.Context) bool {
	if _, signedIn := request.Person(c); signedIn || request.FromProgram(c.Request) {
		return false
	}
	from := ratelimit.Network(request.From(c).Address)
	err := l.Limiter.Take(c.Request.Context(), ratelimit.Count{Name: "left", Subject: from, Limit: l.Limit})
	if err != nil {
		request.LogCause(c, err)
	}
	return err == nil
}

// leave keeps what was typed for whoever has the ticket, and leads by way of the sign-in
// back to where it was typed, with a notice.
func (l FormRecovery) Keep(c *gin.Context, ticket string, typed map[string]string, notice templates.Notice) {
	mark, err := l.Forms.Keep(c.Request.Context(), ticket, typed)
	if err != nil {
		request.LogCause(c, err)
	}
	if err != nil || mark == "" {
		return
	}
	back := *c.Request.URL
	query := back.Query()
	query.Set(leftQuery, mark)
	if notice != "" {
		query.Set("notice", string(notice))
	}
	back.RawQuery = query.Encode()
	_ = SeeOther(c, "/login?"+url.Values{"next": {back.RequestURI()}}.Encode(), "")
	c.Abort()
}

// typed is what was left for the person who opens the page; nil for nothing.
func (l FormRecovery) Restored(c *gin.Context) map[string]string {
	person, ok := request.Person(c)
	if !ok {
		return nil
	}
	typed, err := l.Forms.Find(c.Request.Context(), person.ID, c.Query(leftQuery))
	if err != nil {
		request.LogCause(c, err)
	}
	return typed
}

// form is the form that Leave left for the person who opens the page; nil for none.
func (l FormRecovery) RestoredForm(c *gin.Context) url.Values {
	form, err := url.ParseQuery(l.Restored(c)["form"])
	if err != nil || len(form) == 0 {
		return nil
	}
	return form
}

// ticket is that of the page which is shown.
func (l FormRecovery) Ticket(c *gin.Context) string {
	person, ok := request.Person(c)
	if !ok {
		return ""
	}
	return l.Forms.Ticket(person.ID)
}
