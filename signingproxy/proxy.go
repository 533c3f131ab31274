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
	"countersign/internal/signing/index"

	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/intake"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/upstream"
	"countersign/session"
)

// Options are what a Proxy is made of.
type Options struct {
	// Upstream is the signing API, for what is relayed; Signing the same, for calls
	// of our own.
	Upstream *upstream.Client
	Signing  *signing.Client
	Access   *index.Index
	// Hint has whoever watches the package of that id hear of what it is now.
	Hint func(ctx context.Context, id string) error
	// Idempotency keeps the first answers of keys.
	Idempotency *idempotency.Store
	// Profile is what the platform calls a person, read now where that could not be
	// done when they signed in.
	Profile func(*gin.Context) (session.User, bool)
	// Operator reports whether a user may act for the whole account.
	Operator func(user string) bool
	// OperatorsCreate says that operators alone create packages.
	OperatorsCreate bool
	// TrustEmail says that an e-mail address of the platform makes its person the
	// owner or signer of packages.
	TrustEmail bool
	// Production says that payloads must name no address that nobody has.
	Production bool
	// Sites are the hosts of signing pages.
	Sites config.Hosts
	// MaxUpload is how many bytes an upload has at most.
	MaxUpload int64
	// SpoolDir is where files wait that come before their payload.
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
	all := o.signingAPI().signingTable(o.Signing)
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
	person access.Person
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
	// changes are what the operation has been done to, for the audit trail.
	changes []changed
}

func (c *call) ctx() context.Context { return c.gin.Request.Context() }

// packageID is the package that the path names.
func (c *call) packageID() string { return c.values["package"] }

// Serve carries out one request below /api for whoever is signed in.
func (p *Proxy) Serve(c *gin.Context) error {
	person, err := p.Person(c)
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
	call := &call{gin: c, operation: o, values: values, person: person, query: c.Request.URL.RawQuery}
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

// Person is who asks; the error is session.required when signed out.
func (o Options) Person(c *gin.Context) (access.Person, error) {
	user, signedIn := o.Profile(c)
	if !signedIn {
		return access.Person{}, fault.New(fault.SessionRequired)
	}
	person := access.Person{User: user.ID, Operator: o.Operator(user.ID)}
	if o.TrustEmail {
		person.Email = intake.FoldAddress(user.Email)
	}
	return person, nil
}

// sessionID names the session of the request, for limits.
func (c *call) sessionID() string { return request.From(c.gin).Session.ID() }

// reads reports whether the operation changes nothing.
func (c *call) reads() bool { return c.Method == http.MethodGet }
