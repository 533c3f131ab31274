package handlers

import (
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

var (
	homeTemplate = page.For[homeView]("home")
	helpTemplate = page.For[page.ErrorView]("error")
)

// homeView is the start page.
type homeView struct {
	templates.Common
	// Waiting is the number of packages that wait for the person's signature.
	Waiting int
	// ToSign are the newest of them, a few.
	ToSign []portal.Item
	// News is what happened to the person's packages since they last looked.
	News portal.News
	// NoPasskey asks the person to create a passkey.
	NoPasskey bool
}

// HomePage is the first page, along with the pages and files that belong to no flow.
type HomePage struct {
	Renderer page.Renderer
	Assets   *static.Assets
	Packages portal.Packages
	Prompt   identity.PasskeyPrompt
}

// Routes returns the addresses of the page.
func (p HomePage) Routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/", SignedOut: true, Serve: p.get},
	}
}

// get answers GET /.
func (p HomePage) get(c *gin.Context) error {
	v := homeView{Common: page.Common(c), NoPasskey: p.Prompt.Shown(c)}
	if v.Person != nil && p.Packages.Service != nil {
		p.addPackages(c, &v)
	}
	return homeTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

// addPackages adds which packages wait for the person to sign, and what happened to theirs
// since they last looked; nothing if that cannot be told now.
func (p HomePage) addPackages(c *gin.Context, v *homeView) {
	who, err := p.Packages.Actors.Actor(c)
	if err != nil {
		request.LogCause(c, err)
		return
	}
	ctx := c.Request.Context()
	if v.Waiting, err = p.Packages.Service.Waiting(ctx, who.Person); err != nil {
		request.LogCause(c, err)
	}
	if v.Waiting > 0 {
		if v.ToSign, err = p.Packages.ToSign(ctx, who.Person); err != nil {
			request.LogCause(c, err)
		}
	}
	if v.News, err = p.Packages.NewsFor(ctx, who.Person); err != nil {
		request.LogCause(c, err)
	}
}

// Help answers GET /errors/{key}, the address in a problem's type: it explains the error.
func (p HomePage) Help(c *gin.Context) error {
	key := fault.Key(c.Param("key"))
	if !fault.Known(key) {
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Cache-Control", "public, max-age=300, "+request.Untransformed)
	c.Header("Vary", "Accept-Language, Cookie")
	return helpTemplate.Show(c, p.Renderer, http.StatusOK, page.ErrorView{Common: page.Common(c), Key: key, Help: true})
}

// Icon answers GET /favicon.ico, which browsers request by themselves.
func (p HomePage) Icon(c *gin.Context) error {
	c.Header("Cache-Control", "public, max-age=86400")
	c.Redirect(http.StatusFound, p.Assets.URL("mark.svg"))
	return nil
}
