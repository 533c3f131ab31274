package web

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/session"
	"countersign/static"
	"countersign/web/reference"
)

// routes registers all routes of Countersign; the OpenAPI document describes their
// requests and answers.
func (e *edge) routes(engine *gin.Engine) {
	e.dialects, e.gets = map[string]request.Dialect{}, map[string][]func(*gin.Context) error{}
	engine.Use(e.requestID)
	if e.Tracer != nil {
		engine.Use(e.traced)
	}
	engine.Use(e.accessLog, e.recovered, e.errors, e.headers, handle(e.ownHost), e.deadlines, unescape)
	engine.NoRoute(e.dialectOfPath, e.pageInterstitial, handle(func(*gin.Context) error { return fault.New(fault.RequestNotFound) }))
	engine.NoMethod(e.dialectOfPath, handle(e.otherMethod))

	e.publicRoutes(engine)
	e.signedOutRoutes(engine)
	e.personalRoutes(engine)
	e.pageRoutes(engine)
	e.operatorRoutes(engine)
	e.platformRoutes(engine)
}

// platformRoutes are the platform's own APIs, for signed-in users. Each API finds the
// operation: gin's router would take a word of the platform's for an id.
func (e *edge) platformRoutes(engine *gin.Engine) {
	api := e.group(engine, group{base: "/api", dialect: request.PlatformSigning, token: liveToken, touch: true, transfer: true, operations: true})
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	api.Match(methods, "", handles([]func(*gin.Context) error{signedIn, e.api})...)
	api.Match(methods, "/*path", handles([]func(*gin.Context) error{signedIn, e.api})...)
}

// otherMethod refuses a method that a path does not have. Of the paths below /api each API
// knows its own.
func (e *edge) otherMethod(c *gin.Context) error {
	if !strings.HasPrefix(c.Request.URL.Path, "/api") || len(e.APIs) == 0 {
		return fault.New(fault.RequestMethod)
	}
	found := e.operation(c)
	if found == nil {
		c.Writer.Header().Del("Allow")
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Allow", strings.Join(found.Methods(), ", "))
	return fault.New(fault.RequestMethod)
}

// api serves the platform's own APIs, if they are in use.
func (e *edge) api(c *gin.Context) error {
	found := e.operation(c)
	if found == nil {
		return fault.New(fault.RequestNotFound)
	}
	request.From(c).Problem = e.laterProblem(c)
	return found.Serve(c)
}

// operation returns what the APIs have at the path of a request; nil for nothing. It is
// looked for once.
func (e *edge) operation(c *gin.Context) request.Operation {
	state := request.From(c)
	for i := 0; i < len(e.APIs) && state.Operation == nil; i++ {
		state.Operation = e.APIs[i].Find(c.Request)
	}
	return state.Operation
}

// publicRoutes registers the routes that look up no session and answer everybody alike.
func (e *edge) publicRoutes(engine *gin.Engine) {
	e.get(engine.Group("", e.transfer), "/static/*path", e.asset)

	if e.App != nil {
		app := engine.Group("", e.transfer)
		e.get(app, "/app", func(c *gin.Context) error {
			c.Redirect(http.StatusPermanentRedirect, static.FolderPrefix)
			return nil
		})
		e.get(app, static.FolderPrefix+"*path", e.app)
	}

	h := e.Handlers
	public := engine.Group("", handle(bodyLimit(limitJSON)))
	e.get(public, "/errors/:key", asPage, h.HomePage.Help)
	e.get(public, "/openapi.json", e.openAPI)
	e.get(public, reference.Path, asPage, e.showReference)
	e.get(public, "/favicon.ico", h.HomePage.Icon)
	post(public, "/callbacks/signing", h.Callbacks.Signing)
	post(public, "/callbacks/verification", h.Callbacks.Verification)
	e.get(public, "/uaf/facets", h.WellKnown.TrustedFacets)
	e.get(public, "/.well-known/passkey-endpoints", h.WellKnown.PasskeyEndpoints)
	e.get(public, "/.well-known/webauthn", h.WellKnown.WebAuthn)
	e.get(public, "/.well-known/assetlinks.json", h.WellKnown.AssetLinks)
	e.get(public, "/.well-known/apple-app-site-association", h.WellKnown.AppleAppSiteAssociation)
	e.get(public, "/.well-known/change-password", h.WellKnown.PasswordChange)
}

// signedOutRoutes registers routes that are also for people who are signed out: an
// expired token counts as none.
func (e *edge) signedOutRoutes(engine *gin.Engine) {
	h, identity := e.Handlers, request.PlatformIdentity
	polling := e.group(engine, group{body: limitJSON, token: anyToken, unchecked: true})
	e.get(polling, "/sessions/:requestID", h.SignIn.Status)

	login := e.group(engine, group{base: "/users", dialect: identity, body: limitFIDO, token: anyToken, touch: true, unchecked: true})
	post(login, "/:user/login", e.anyUser, h.SignIn.Login)

	users := e.group(engine, group{base: "/users", dialect: identity, body: limitJSON, token: anyToken, touch: true, unchecked: true})
	post(users, "/:user/generate-fido-authentication-request", e.anyUser, h.SignIn.Generate)
	post(users, "/register", h.Activation.RegisterUser)

	sdk := e.group(engine, group{body: limitJSON, token: anyToken, touch: true, unchecked: true})
	post(sdk, "/orchestration-commands", h.Activation.OrchestrationCommands)
}

// personalRoutes registers the routes for signed-in people.
func (e *edge) personalRoutes(engine *gin.Engine) {
	h, identity := e.Handlers, request.PlatformIdentity
	own := e.group(engine, group{body: limitJSON, token: liveToken}) // asking does not prolong it
	e.get(own, "/session", signedIn, h.Session.Show)
	patch(own, "/session", signedIn, h.Session.Change)
	leaving := e.group(engine, group{body: limitJSON, token: liveToken, unchecked: true, unbound: true}) // nothing holds it up
	del(leaving, "/session", h.Session.SignOut)
	post(leaving, session.BindPath, h.Binding.InUse, signedIn, h.Binding.Register)
	post(leaving, session.RenewPath, h.Binding.InUse, signedIn, h.Binding.Renew)

	account := e.group(engine, group{base: "/account", body: limitJSON, token: liveToken, touch: true})
	e.get(account, "/sessions", signedIn, h.Account.List)
	del(account, "/sessions", signedIn, h.Account.EndOthers)
	del(account, "/sessions/:id", signedIn, h.Account.End)
	e.get(account, "/notices", h.Mails.InUse, signedIn, h.Mails.Show)
	patch(account, "/notices", h.Mails.InUse, signedIn, h.Mails.Change)

	users := e.group(engine, group{base: "/users", dialect: identity, body: limitJSON, token: liveToken, touch: true})
	post(users, "/:user/generate-fido-registration-request", e.ownUser, h.Registration.Generate)
	e.get(users, "/:user/authenticators", e.ownUser, h.Authenticators.List)
	patch(users, "/:user/authenticators/:id", e.ownUser, h.Authenticators.Rename)
	del(users, "/:user/authenticators/:id", e.ownUser, h.Authenticators.Remove)

	signals := e.group(engine, group{base: "/users", dialect: identity, body: limitJSON, token: liveToken}) // pages ask by themselves
	e.get(signals, "/:user/accepted-passkeys", e.ownUser, h.Accepted.Show)
	e.get(signals, "/:user/activation", e.ownUser, h.Activation.Status)

	responses := e.group(engine, group{base: "/users", dialect: identity, body: limitFIDO, token: liveToken, touch: true})
	post(responses, "/:user/register-fido-device", e.ownUser, h.Registration.Register)
	post(responses, "/:user/transactions/validate", e.ownUser, h.Transactions.Validate)
}

// operatorRoutes registers what operators do about other people's accounts, which for
// everybody else does not exist. A person has one address for the page and for JSON.
func (e *edge) operatorRoutes(engine *gin.Engine) {
	h := e.Handlers.PeoplePage
	pages := e.group(engine, group{base: "/people", page: true, body: limitJSON, token: liveToken, touch: true})
	post(pages, "/:user", signedIn, h.Operators, h.Post)

	either := e.group(engine, group{base: "/people", either: true, body: limitJSON, token: liveToken, touch: true})
	e.get(either, "", signedIn, h.Operators, h.Show)
	e.get(either, "/:user", signedIn, h.Operators, h.One)

	calls := e.group(engine, group{base: "/people", body: limitJSON, token: liveToken, touch: true})
	del(calls, "/:user/sessions", signedIn, h.Operators, h.EndAll)
	del(calls, "/:user/sessions/:id", signedIn, h.Operators, h.End)
	del(calls, "/:user/authenticators/:id", signedIn, h.Operators, h.Remove)
	post(calls, "/:user/unlock", signedIn, h.Operators, h.Unlock)
	post(calls, "/:user/enable", signedIn, h.Operators, h.Enable)
}

// pageRoutes registers the pages, each by the group of its kind.
func (e *edge) pageRoutes(engine *gin.Engine) {
	groups := map[page.Kind]*gin.RouterGroup{
		page.Ordinary: e.group(engine, group{page: true, body: limitJSON, token: liveToken, touch: true}),
		page.Part:     e.group(engine, group{body: limitJSON, token: liveToken}),
		page.Upload:   e.group(engine, group{page: true, transfer: true, token: liveToken, touch: true}),
		page.Form:     e.group(engine, group{page: true, body: limitForm, transfer: true, token: liveToken, touch: true}),
	}
	for _, route := range e.Handlers.Pages() {
		steps := e.steps(route)
		if route.Method == http.MethodPost {
			post(groups[route.Kind], route.Path, steps...)
		} else {
			e.get(groups[route.Kind], route.Path, steps...)
		}
	}
}

// steps returns what a request of the route passes, in order. An expired form is kept before
// the person is sent to sign in.
func (e *edge) steps(route page.Route) (steps []page.Step) {
	admit := signedIn
	if route.SignedOut {
		admit = nil
	}
	for _, step := range []page.Step{route.InUse, route.KeepExpired, admit, route.Permit, route.Serve} {
		if step != nil {
			steps = append(steps, step)
		}
	}
	return steps
}

// asset serves a static file, under its release's address alone.
func (e *edge) asset(c *gin.Context) error {
	if !e.Assets.Serves(c.Request.URL.Path) {
		return fault.New(fault.RequestNotFound)
	}
	if strings.HasSuffix(c.Request.URL.Path, ".svg") { // what else pages load is never a document
		asDocument(c)
	}
	e.assets.ServeHTTP(c.Writer, c.Request)
	return nil
}

// app serves the installation's single-page application.
func (e *edge) app(c *gin.Context) error {
	asDocument(c)
	if !e.App.Serve(c.Writer, c.Request) {
		return fault.New(fault.RequestNotFound)
	}
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

func (e *edge) get(g *gin.RouterGroup, path string, steps ...func(*gin.Context) error) {
	e.gets[strings.TrimSuffix(g.BasePath(), "/")+path] = steps
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
