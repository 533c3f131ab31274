package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// routes is the whole surface of Countersign; package openapi says what each
// route takes and answers.
func (e *edge) routes(engine *gin.Engine) {
	engine.Use(e.requestID, e.accessLog, e.recovered, e.errors, e.headers, handle(e.ownHost))
	engine.NoRoute(e.acquainted, handle(func(*gin.Context) error { return fault.New(fault.RequestNotFound) }))
	engine.NoMethod(handle(func(*gin.Context) error { return fault.New(fault.RequestMethod) }))

	get(&engine.RouterGroup, "/static/*path", e.asset)

	e.publicRoutes(engine)

	// Everything else knows who asks.
	h := e.Handlers
	small := engine.Group("", e.interstitial, handle(bodyLimit(limitJSON)), handle(e.session), handle(e.sameOrigin))
	fido := engine.Group("", handle(bodyLimit(limitFIDO)), handle(e.session), handle(e.sameOrigin))

	get(small, "/session", signedIn, h.Session.Show)
	patch(small, "/session", signedIn, h.Session.Change)
	del(small, "/session", h.Session.SignOut)
	get(small, "/sessions/:requestID", h.SignIn.Status)

	// A use of the session prolongs it, from here on.
	small, fido = small.Group("", handle(e.touch)), fido.Group("", handle(e.touch))

	get(small, "/account/sessions", signedIn, h.Account.List)
	del(small, "/account/sessions", signedIn, h.Account.EndOthers)
	del(small, "/account/sessions/:id", signedIn, h.Account.End)

	post(fido, "/users/:user/login", anyUser, h.SignIn.Login)
	post(small, "/users/:user/generate-fido-authentication-request", anyUser, h.SignIn.Generate)
	post(small, "/users/:user/generate-fido-registration-request", ownUser, h.Registration.Generate)
	post(fido, "/users/:user/register-fido-device", ownUser, h.Registration.Register)
	get(small, "/users/:user/authenticators", ownUser, h.Authenticators.List)
	patch(small, "/users/:user/authenticators/:id", ownUser, h.Authenticators.Rename)
	del(small, "/users/:user/authenticators/:id", ownUser, h.Authenticators.Remove)

	post(fido, "/users/:user/transactions/validate", ownUser, h.Transactions.Validate)
	post(small, "/users/register", h.Activation.RegisterUser)
	post(small, "/orchestration-commands", h.Activation.OrchestrationCommands)

	pages := engine.Group("", handle(page), e.interstitial, handle(bodyLimit(limitJSON)), handle(e.session), handle(e.sameOrigin), handle(e.touch))
	get(pages, "/", h.Pages.Home)
	get(pages, "/login", h.Pages.SignInPage)
	post(pages, "/login", h.Pages.PostSignIn)
	get(pages, "/authenticators", signedIn, h.Pages.AuthenticatorsPage)
	post(pages, "/authenticators", signedIn, h.Pages.PostAuthenticators)
	get(pages, "/account", signedIn, h.Pages.AccountPage)
	post(pages, "/account", signedIn, h.Pages.PostAccount)
}

// publicRoutes are the same for everybody: no session is looked up.
func (e *edge) publicRoutes(engine *gin.Engine) {
	h := e.Handlers
	public := engine.Group("", handle(bodyLimit(limitJSON)))
	get(public, "/errors/:key", page, h.Pages.Help)
	get(public, "/openapi.json", e.openAPI)
	get(public, "/favicon.ico", h.Pages.Icon)
	get(public, "/uaf/facets", h.WellKnown.TrustedFacets)
	get(public, "/.well-known/passkey-endpoints", h.WellKnown.PasskeyEndpoints)
	get(public, "/.well-known/webauthn", h.WellKnown.WebAuthn)
	get(public, "/.well-known/assetlinks.json", h.WellKnown.AssetLinks)
	get(public, "/.well-known/apple-app-site-association", h.WellKnown.AppleAppSiteAssociation)
	get(public, "/.well-known/change-password", h.WellKnown.PasswordChange)
}

// asset serves a file of the pages, under its release's address alone.
func (e *edge) asset(c *gin.Context) error {
	if !e.Assets.Serves(c.Request.URL.Path) {
		return fault.New(fault.RequestNotFound)
	}
	e.assets.ServeHTTP(c.Writer, c.Request)
	return nil
}

// handles adapts the steps of one route.
func handles(steps []func(*gin.Context) error) []gin.HandlerFunc {
	out := make([]gin.HandlerFunc, len(steps))
	for i, step := range steps {
		out[i] = handle(step)
	}
	return out
}

func get(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
	g.Match([]string{http.MethodGet, http.MethodHead}, path, handles(steps)...)
}

func post(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
	g.POST(path, handles(steps)...)
}

func patch(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
	g.PATCH(path, handles(steps)...)
}

func del(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
	g.DELETE(path, handles(steps)...)
}
