package handlers

import (
	"io"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/compose"
	"countersign/internal/request"
	"countersign/templates"
)

// leftQuery names in an address what was left for whoever opens it.
const leftQuery = "left"

// Leave lets whoever is signed in on. Whoever is not any more, and has no scripts that keep
// what they typed, finds it again when they have signed in: it is left for them.
func (p NewPackagePage) Leave(c *gin.Context) error {
	if _, signedIn := request.Person(c); signedIn || request.FromProgram(c.Request) {
		return nil
	}
	const room = 0
	sent, err := p.read(c, room)
	if err != nil {
		return nil // nothing is left, and they sign in
	}
	defer sent.files.Close()
	mark, err := p.Drafts.Leave(c.Request.Context(), sent.typed["ticket"], sent.typed)
	if err != nil {
		request.LogCause(c, err)
	}
	if err != nil || mark == "" {
		return nil
	}
	found := url.Values{leftQuery: {mark}}
	if sent.tooLarge {
		found.Set("notice", string(templates.NoticePackageFilesAgain))
	}
	next := c.Request.URL.EscapedPath() + "?" + found.Encode()
	c.Redirect(http.StatusSeeOther, "/login?"+url.Values{"next": {next}}.Encode())
	c.Abort()
	return nil
}

// found puts into the form what was left for the person. What cannot be read is not
// missed: the page is whole without it.
func (p NewPackagePage) found(c *gin.Context, person access.Person, form *compose.Form) {
	typed, err := p.Drafts.Left(c.Request.Context(), person.User, c.Query(leftQuery))
	if err != nil {
		request.LogCause(c, err)
	}
	form.Type(typed)
}

// unsaved shows what was typed once more where nothing else can be done with it now, to be
// sent again. Any other error stays one.
func (p NewPackagePage) unsaved(c *gin.Context, id string, sent *sentPage, cause error) error {
	if cause == nil || c.Writer.Written() || !passing(cause) {
		return cause
	}
	v := templates.NewPackage{Common: common(c), ID: id, Unsaved: sent.typed}
	var status int
	var err error
	if v.Problem, status, err = p.Renderer.problem(c, cause); err != nil {
		return err
	}
	return p.Renderer.page(c, status, func(w io.Writer) error { return p.Renderer.Templates.NewPackage(w, v) })
}
