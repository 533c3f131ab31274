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

// HomePage is the first page, and what belongs to every page.
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
		v.Waiting = p.waiting(c)
	}
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error { return p.Renderer.Templates.Home(w, v) })
}

// waiting is how many packages wait for the person to sign; where that cannot be told now,
// the page says nothing of it.
func (p HomePage) waiting(c *gin.Context) int {
	who, err := p.Packages.Actors.Actor(c)
	if err != nil {
		request.LogCause(c, err)
		return 0
	}
	n, err := p.Packages.Service.Waiting(c.Request.Context(), who.Person)
	if err != nil {
		request.LogCause(c, err)
	}
	return n
}

// Help answers GET /errors/{key}: what the error means, for whoever followed a
// problem's type.
func (p HomePage) Help(c *gin.Context) error {
	key := fault.Key(c.Param("key"))
	if !fault.Known(key) {
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Cache-Control", "public, max-age=300")
	c.Header("Vary", "Accept-Language, Cookie")
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error {
		return p.Renderer.Templates.Error(w, templates.Error{Common: page.Common(c), Key: key, Help: true})
	})
}

// Icon answers GET /favicon.ico, which browsers ask for unasked.
func (p HomePage) Icon(c *gin.Context) error {
	c.Header("Cache-Control", "public, max-age=86400")
	c.Redirect(http.StatusFound, p.Assets.URL("mark.svg"))
	return nil
}
