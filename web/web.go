// Package web has the routes, the middleware and the responses to errors.
//
// A request passes, in this order: request id, access log, recover, errors,
// headers, host, body limit, session, cross-origin check, signed-in check, the
// handler. What a route means is the business of package handlers.
//
// Two kinds of clients are told apart by their credentials. A browser carries the session
// cookie, and each of its unsafe requests must come from our own origin. An app or a
// program carries Authorization; its cookies are ignored and the cross-origin check does
// not apply, since no foreign site can make a browser send that header.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/trace"

	"countersign/handlers"
	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/i18n"
	"countersign/internal/idempotency"
	"countersign/internal/request"
	"countersign/internal/seal"
	"countersign/session"
	"countersign/static"
)

// Options configure the edge; every member is required unless it says otherwise.
type Options struct {
	Handlers handlers.Handlers
	// APIs are the platform's own below /api that are in use.
	APIs     []API
	Sessions *session.Store
	// Keys seal the person that a form is shown to.
	Keys seal.Keys
	// Presses keep for a moment what a press of a button led to.
	Presses *idempotency.Store
	// Accounts asks whether people may still use their accounts.
	Accounts *account.Checker
	Bundle   *i18n.Bundle
	Renderer page.Renderer
	Assets   *static.Assets
	Metrics  *Metrics
	// Trail records important actions; nil records nothing.
	Trail *audit.Trail
	// Tracer makes the spans of requests; nil makes none.
	Tracer trace.Tracer
	Logger *slog.Logger
	Now    func() time.Time
	// Users is the form of user names.
	Users request.Users
	// PublicOrigin is the origin that people use, canonical: scheme://host[:port].
	PublicOrigin string
	// App is a single-page application to be served at /app/; nil is none.
	App *static.Folder
	// Uploads takes one of a user's places for uploads, until release is called; the
	// error is request.rate if none is free.
	Uploads func(ctx context.Context, user string) (release func(), err error)
	// TrustedProxies are the ranges of addresses whose X-Forwarded-For is believed; empty
	// trusts none. IPv4 ranges are written as such, not as IPv6 (::ffff:0:0/96).
	TrustedProxies []netip.Prefix
	// RevealAccountState tells everybody why a sign-in was refused.
	RevealAccountState bool
}

// API is one of the platform's APIs below /api.
type API interface {
	// Find returns what is at a request's path; nil if there is nothing.
	Find(r *http.Request) request.Operation
}

// edge holds what the middleware shares.
type edge struct {
	Options
	assets http.Handler
	host   string
	https  bool
	fixed  http.Header
	device identity.DeviceCookies
	// unreadable limits a warning about X-Forwarded-For to one in the life of a process.
	unreadable sync.Once
	// dialects holds the dialect of each group of routes, by path prefix.
	dialects map[string]request.Dialect
	// gets holds the steps of each route of GET, by its pattern.
	gets map[string][]func(*gin.Context) error
	// shownTo seals the person that a form is shown to; sealShownTo is sealPerson.
	shownTo     seal.Sealer
	sealShownTo func(person string) string
	reference   *apiReference
}

// New builds the handler of the public listener.
func New(o Options) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.UseRawPath = true // an escaped slash is part of a name, not of the path
	engine.UnescapePathValues = false
	engine.ForwardedByClientIP = false // clientAddress reads X-Forwarded-For
	e := &edge{Options: o, assets: o.Assets.Handler(), shownTo: o.Keys.For("countersign form's person")}
	e.sealShownTo = e.sealPerson
	e.host, e.https = splitOrigin(o.PublicOrigin)
	e.fixed, e.device = fixedHeaders(e.https), identity.DeviceCookies{Secure: e.https, Users: o.Users}
	e.reference = newAPIReference(e)
	e.routes(engine)
	return engine, nil
}
