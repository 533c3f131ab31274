// Package verification relays the platform's identity verification API to signed-in users. A
// handler decodes the request, calls a use case of internal/verification/service, which also
// decides who can do what, and sends the answer.
package verification

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/internal/access"
	"countersign/internal/i18n"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
	"countersign/signingproxy"
)

// Options configure an API. All of them are required.
type Options struct {
	Service *service.Service
	Actors  request.Actors
	// PublicOrigin is the origin of our addresses in answers.
	PublicOrigin string
	Bundle       *i18n.Bundle
}

// API serves identity verification as the platform's own JSON. It is safe for concurrent
// use.
type API struct {
	Options
	routes signingproxy.Routes[handler]
}

// A handler carries out one operation.
type handler func(*API, *call) error

// call is one request for an operation.
type call struct {
	*gin.Context
	who access.Actor
	// id is the id of the transaction in the path, "" if it names none.
	id     string
	values map[string]string
}

// families lists the paths below which every operation is served.
var families = []string{"/api/transaction", "/api/transactions"}

const (
	one    = "/{transaction}"
	images = one + "/verifications/{verification}/verification-images"
)

// operations lists every operation with its methods and its path below a family.
var operations = []struct {
	methods, below string
	serve          handler
}{
	{"PUT POST", "", (*API).start},
	{"GET", "", (*API).list},
	{"GET", one, (*API).show},
	{"GET", one + "/verification", (*API).results},
	{"GET", one + "/detailed-verification-report", (*API).report},
	{"GET", one + "/evidence", (*API).evidence},
	{"GET", one + "/document/AuditTrailDocument/pdf", (*API).evidence},
	{"GET", one + "/document/{document}/pdf", (*API).document},
	{"GET", one + "/audit-trail", (*API).trail},
	{"GET", images, (*API).images},
	{"GET", images + "/{image}", (*API).image},
	{"PUT", one + "/event", (*API).cancel},
	{"POST", one + "/token", (*API).token},
	{"POST", one + "/generate-audit-trail", (*API).generateTrail},
	{"POST", "/mark-for-erasure", (*API).erase},
	{"POST", "/unmark-for-erasure", (*API).takeBack},
}

// New makes an API.
func New(o Options) *API {
	var routes []signingproxy.Route[handler]
	for _, family := range families {
		for _, op := range operations {
			routes = append(routes, signingproxy.Route[handler]{
				Path: family + op.below, Methods: strings.Fields(op.methods), Operation: op.serve, ID: idOf,
			})
		}
	}
	return &API{o, signingproxy.NewRoutes(routes)}
}

// idOf checks and normalizes the value of a placeholder.
func idOf(name, value string) (string, bool) {
	switch name {
	case "document":
		return value, verification.IsDocument(value)
	case "image":
		return value, verification.IsImage(value)
	}
	return verification.ID(value)
}

// Find returns what is at a request's path; nil if there is nothing.
func (a *API) Find(r *http.Request) request.Operation {
	if m := a.routes.Find(r.Method, r.URL.EscapedPath()); m != nil {
		return &operationCall{m, a}
	}
	return nil
}

// operationCall is an operation that a request has asked for.
type operationCall struct {
	*signingproxy.Match[handler]
	api *API
}

// Serve carries out the request for the person who is signed in.
func (m *operationCall) Serve(c *gin.Context) error {
	who, err := m.Actor(c, m.api.Actors)
	if err != nil {
		return err
	}
	return m.Operation(m.api, &call{Context: c, who: who, id: m.Values["transaction"], values: m.Values})
}

// ours returns our address of a path below the transaction.
func (a *API) ours(c *call, below string) string {
	return a.PublicOrigin + "/api/transactions/" + c.id + below
}

// flag reads a boolean query parameter, false by default.
func (c *call) flag(name string) (bool, error) {
	values := c.Request.URL.Query()[name]
	for _, value := range values {
		if value != "true" && value != "false" || value != values[0] {
			return false, payload.Violation("/"+name, "field.boolean")
		}
	}
	return slices.Contains(values, "true"), nil
}

// answer sends v as JSON, with the members of maps in order.
func (c *call) answer(status int, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.shown(status, body, nil)
}

// shown sends body as JSON with its length, or returns err.
func (c *call) shown(status int, body []byte, err error) error {
	if err != nil {
		return err
	}
	c.Header("Content-Length", strconv.Itoa(len(body)))
	c.Data(status, request.JSONType, body)
	return nil
}
