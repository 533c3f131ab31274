// Package signingproxy relays the platform's signing API to signed-in users: one rule per
// operation. It decides which operations there are, who can use them, and which parts of an
// answer a person may see, and streams requests and answers to and from the platform. Its
// exported helpers also serve the other API below /api, signingproxy/verification.
//
// Package internal/signing knows the payloads, the listing and the platform's bytes,
// internal/signing/index decides whose a package is, and internal/signing/service carries
// out what has to happen around an operation. The proxy knows neither sessions nor pages.
package signingproxy

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb"
	"countersign/internal/request"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
)

// Options configure a Proxy. All of them are required.
type Options struct {
	// Upstream is the client of the signing API to which requests are relayed.
	Upstream *upstream.Client
	Service  *service.Service
	// Actors identifies the person who sends a request.
	Actors request.Actors
	// MaxUpload limits an upload, in bytes.
	MaxUpload int64
	// SpoolDir is the directory for files that arrive before their payload.
	SpoolDir string
}

// Proxy serves the signing API. It is safe for concurrent use.
type Proxy struct {
	Options
	routes Routes[*operation]
	// documentPDF is the operation that reads the PDFs for archives.
	documentPDF *operation
}

// New makes a Proxy.
func New(o Options) *Proxy {
	all := operations(o.Service.Platform)
	p := &Proxy{Options: o, routes: newRoutes(all)}
	for _, operation := range all {
		if operation.isPDF {
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
	// grant is the person's grant for the package in the path. If the path names no
	// package, or the person is an operator, only its Access is set.
	grant index.Grant
	// record is the index's record of the package in the path as it was read with the session;
	// nil if it was not, and once it was judged.
	record *index.RecordRead
	// body is the checked payload; nil if the request has none.
	body []byte
	// status and kind are the status and type that the payload gives a package, if any, and
	// people the e-mail addresses in it.
	status, kind string
	people       []string
	// attempt is the first use of an Idempotency-Key; nil if the request has no key.
	attempt *idempotency.Attempt
	// mark is stored in a new package, so that the package is found if the platform's
	// answer is lost; "" if the request has no Idempotency-Key.
	mark string
	// query is the raw query for the platform.
	query string
	// title is the name of a file if neither the path nor the platform gives it; ""
	// otherwise.
	title string
}

func (c *call) ctx() context.Context { return c.gin.Request.Context() }

// packageID returns the id of the package in the path.
func (c *call) packageID() string { return c.values["package"] }

// Find returns what is at a request's path; nil if there is nothing.
func (p *Proxy) Find(r *http.Request) request.Operation {
	if m := p.routes.Find(r.Method, r.URL.EscapedPath()); m != nil {
		return &operationCall{Match: m, proxy: p}
	}
	return nil
}

// operationCall is an operation that a request has asked for.
type operationCall struct {
	*Match[*operation]
	proxy  *Proxy
	record *index.RecordRead
}

// Reads returns the commands that read the index's record of the package in the path, for
// operations that change nothing.
func (m *operationCall) Reads(ctx context.Context) []redisdb.Command {
	if m.err == nil && m.Operation.Method == http.MethodGet && m.Values["package"] != "" {
		m.record = m.proxy.Service.Index.Read(ctx, m.Values["package"])
	}
	return m.record.Commands()
}

// Serve carries out the request for the person who is signed in.
func (m *operationCall) Serve(c *gin.Context) error {
	who, err := m.Actor(c, m.proxy.Actors)
	if err != nil {
		return err
	}
	if len(c.Request.URL.RawQuery) > platform.MaxQuery {
		return fault.New(fault.RequestMalformed)
	}
	call := &call{gin: c, operation: m.Operation, values: m.Values, who: who, record: m.record, query: c.Request.URL.RawQuery}
	if err := call.may(m.proxy, call); err != nil {
		return err
	}
	if err := call.writeQuery(); err != nil {
		return err
	}
	return call.serve(m.proxy, call)
}
