package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// routes is the whole surface of Countersign, as DESIGN section 3 lists it.
func (e *edge) routes(engine *gin.Engine) {
	engine.Use(e.requestID, e.accessLog, e.recovered, e.errors, handle(e.ownHost), e.headers)
	engine.NoRoute(handle(func(*gin.Context) error { return fault.New(fault.RequestNotFound) }))
	engine.NoMethod(handle(func(*gin.Context) error { return fault.New(fault.RequestMethod) }))

	assets := gin.WrapH(e.Assets.Handler())
	engine.GET("/static/*path", assets)
	engine.HEAD("/static/*path", assets)

	h := e.Handlers
	get := func(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
		g.Match([]string{http.MethodGet, http.MethodHead}, path, handles(steps)...)
	}
	post := func(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
		g.POST(path, handles(steps)...)
	}

	// Public and the same for everybody: no session is looked up.
	public := engine.Group("", handle(bodyLimit(limitJSON)))
	get(public, "/errors/:key", h.Pages.Help)
	get(public, "/favicon.ico", h.Pages.Icon)

	// Everything else knows who asks.
	small := engine.Group("", e.interstitial, handle(bodyLimit(limitJSON)), handle(e.session), handle(e.sameOrigin))
	fido := engine.Group("", handle(bodyLimit(limitFIDO)), handle(e.session), handle(e.sameOrigin))

	get(small, "/session", signedIn, h.Session.Show)
	small.PATCH("/session", handles([]func(*gin.Context) error{signedIn, h.Session.Change})...)
	small.DELETE("/session", handles([]func(*gin.Context) error{h.Session.SignOut})...)
	get(small, "/sessions/:requestID", h.SignIn.Status)

	// A use of the session prolongs it, from here on.
	small, fido = small.Group("", handle(e.touch)), fido.Group("", handle(e.touch))

	get(small, "/account/sessions", signedIn, h.Account.List)
	small.DELETE("/account/sessions", handles([]func(*gin.Context) error{signedIn, h.Account.EndOthers})...)
	small.DELETE("/account/sessions/:id", handles([]func(*gin.Context) error{signedIn, h.Account.End})...)

	post(fido, "/users/:user/login", anyUser, h.SignIn.Login)
	post(small, "/users/:user/generate-fido-authentication-request", anyUser, h.SignIn.Generate)
	post(small, "/users/:user/generate-fido-registration-request", ownUser, h.Registration.Generate)
	post(fido, "/users/:user/register-fido-device", ownUser, h.Registration.Register)
	get(small, "/users/:user/authenticators", ownUser, h.Authenticators.List)
	small.PATCH("/users/:user/authenticators/:id", handles([]func(*gin.Context) error{ownUser, h.Authenticators.Rename})...)
	small.DELETE("/users/:user/authenticators/:id", handles([]func(*gin.Context) error{ownUser, h.Authenticators.Remove})...)

	get(small, "/", h.Pages.Home)
	get(small, "/login", h.Pages.SignInPage)
	post(small, "/login", h.Pages.PostSignIn)
	get(small, "/authenticators", signedIn, h.Pages.AuthenticatorsPage)
	post(small, "/authenticators", signedIn, h.Pages.PostAuthenticators)
	get(small, "/account", signedIn, h.Pages.AccountPage)
	post(small, "/account", signedIn, h.Pages.PostAccount)
}

// handles adapts the steps of one route.
func handles(steps []func(*gin.Context) error) []gin.HandlerFunc {
	out := make([]gin.HandlerFunc, len(steps))
	for i, step := range steps {
		out[i] = handle(step)
	}
	return out
}
