// Package signingproxy fronts the platform's electronic signing for whoever is signed in:
// which operations there are and who may what with them, what of an answer a person is
// shown, and the relay itself, which streams both ways. What it exports besides the Proxy
// serves the other API below /api too, signingproxy/verification.
//
// What signing is (payloads, the listing, whose bytes mean what) is the business of
// internal/signing, and whose it is that of internal/access. The proxy knows no sessions and
// no pages.
package signingproxy

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/idempotency"
	"countersign/internal/request"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
)

// Options are what a Proxy is made of. All of it is required.
type Options struct {
	// Upstream is the signing API, for what is relayed.
	Upstream *upstream.Client
	Service  *service.Service
	// Actors tell who asks.
	Actors request.Actors
	// MaxUpload limits an upload, in bytes.
	MaxUpload int64
	// SpoolDir holds files that come before their payload.
	SpoolDir string
}

// Proxy is the signing API as people see it. It is safe for concurrent use.
type Proxy struct {
	Options
	routes Routes[*operation]
	// documentPDF is the operation that archives are made with.
	documentPDF *operation
}

// New makes a Proxy.
func New(o Options) *Proxy {
	all := operations(o.Service.Platform)
	p := &Proxy{Options: o, routes: newRoutes(all)}
	for _, operation := range all {
		if operation.Name == "getDocumentPdf" {
			p.documentPDF = operation
		}
	}
	return p
}

// call is one request for an operation.
type call struct {
	gin *gin.Context
	*operation
	values map[string]string
	who    access.Actor
	// grant is what the person may with the package that the path names; where it
	// names none, or to an operator, it has the Standing alone.
	grant index.Grant
	// body is the payload that was checked; nil where none was sent.
	body []byte
	// attempt is the first use of an Idempotency-Key; nil where there is none.
	attempt *idempotency.Attempt
	// mark is what a package that is made has to bear, to be found when the answer is
	// lost; "" where the request has no idempotency key.
	mark string
	// query is the raw query as it goes to the platform; written is the one that the policy
	// wrote in place of the client's, "" where it left that alone.
	query, written string
	// title is the name of a file that follows from neither the path nor the platform;
	// "" else.
	title string
}

func (c *call) ctx() context.Context { return c.gin.Request.Context() }

// packageID is the package that the path names.
func (c *call) packageID() string { return c.values["package"] }

// Serve carries out one request below /api for whoever is signed in.
func (p *Proxy) Serve(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	o, values, methods, err := p.routes.Find(c.Request.Method, c.Request.URL.EscapedPath())
	if len(methods) > 0 {
		c.Header("Allow", strings.Join(methods, ", "))
	}
	if err != nil {
		return err
	}
	call := &call{gin: c, operation: o, values: values, who: who, query: c.Request.URL.RawQuery}
	if err := o.may(p, call); err != nil {
		return err
	}
	if err := call.writeQuery(); err != nil {
		return err
	}
	return o.serve(p, call)
}

// Methods are those that the path of a request has, none where nothing is there.
func (p *Proxy) Methods(r *http.Request) []string {
	_, _, methods, _ := p.routes.Find("", r.URL.EscapedPath())
	return methods
}

// reads reports whether the operation changes nothing.
func (c *call) reads() bool { return c.Method == http.MethodGet }
