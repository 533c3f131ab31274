package handlers

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/handlers/portal"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/static"
	"countersign/templates"
)

// HomePage is the first page, along with the pages and files that belong to no flow.
type HomePage struct {
	Renderer page.Renderer
	Assets   *static.Assets
	Packages portal.Packages
	Prompt   identity.PasskeyPrompt
}

// Show answers GET /.
func (p HomePage) Show(c *gin.Context) error {
	v := templates.Home{Common: page.Common(c), NoPasskey: p.Prompt.Shown(c)}
	if v.Person != nil && p.Packages.Service != nil {
		v.Waiting, v.News = p.waiting(c)
	}
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error { return p.Renderer.Templates.Home(w, v) })
}

// waiting returns how many packages wait for the person to sign, and what happened to
// theirs since they last looked; nothing if that cannot be told now.
func (p HomePage) waiting(c *gin.Context) (int, templates.PackageNews) {
	who, err := p.Packages.Actors.Actor(c)
	if err != nil {
		request.LogCause(c, err)
		return 0, templates.PackageNews{}
	}
	n, err := p.Packages.Service.Waiting(c.Request.Context(), who.Person)
	if err != nil {
		request.LogCause(c, err)
	}
	news, err := p.Packages.News(c.Request.Context(), who.Person)
	if err != nil {
		request.LogCause(c, err)
	}
	return n, news
}

// Help answers GET /errors/{key}, the address in a problem's type: it explains the error.
func (p HomePage) Help(c *gin.Context) error {
	key := fault.Key(c.Param("key"))
	if !fault.Known(key) {
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Cache-Control", "public, max-age=300, "+request.Untransformed)
	c.Header("Vary", "Accept-Language, Cookie")
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error {
		return p.Renderer.Templates.Error(w, templates.Error{Common: page.Common(c), Key: key, Help: true})
	})
}

// Icon answers GET /favicon.ico, which browsers request by themselves.
func (p HomePage) Icon(c *gin.Context) error {
	c.Header("Cache-Control", "public, max-age=86400")
	c.Redirect(http.StatusFound, p.Assets.URL("mark.svg"))
	return nil
}
