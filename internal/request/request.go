// Package request has the session, user and payload of a request, its limits, step-up and JSON
// responses. The routes of web, handlers and signingproxy share it. It knows no flow.
package request

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/reqctx"
	"countersign/session"
)

// State holds everything known about one request. The middleware of web fills it in; it belongs
// to the request's goroutine.
type State struct {
	reqctx.Info
	// Session is signed in, or signed out with something under way (a pre-session), or
	// nil.
	Session *session.Session
	// User is the canonical id of the person that the path names ({user}); empty if it
	// names nobody.
	User string
	// RevealAccountState makes errors tell everybody the state of accounts.
	RevealAccountState bool
	// Refuse answers with an error at once, in the way that an error returned by a
	// handler is answered.
	Refuse func(error)
	// Dialect is the form of the route's errors.
	Dialect Dialect
	// Operation answers the request, if its path belongs to an API of the platform; else nil.
	Operation Operation
	// Problem returns the JSON body of an error, for an answer that has begun already.
	Problem func(error) []byte
	// Cause is an error to log although the answer is a success; nil for none.
	Cause error
	// ShownTo seals the id of the person that a page with forms is shown to; nil when signed
	// out.
	ShownTo func(person string) string
	// FormRefused is why the form of the request was not carried out, which its page says; nil
	// if it was not refused.
	FormRefused *fault.Error
	// MakesPasskey says that the page may have a passkey made by itself.
	MakesPasskey bool
	// Trail records the request's audit events; nil records none.
	Trail *audit.Trail

	cut atomic.Pointer[error]
}

// Operation answers a request to an API of the platform.
type Operation interface {
	// Methods returns the methods of the path.
	Methods() []string
	// Reads returns what the request reads of Redis in one round trip with its session.
	Reads(ctx context.Context) []redisdb.Command
	// Serve carries out the request of the signed-in user.
	Serve(c *gin.Context) error
}

// AbortBody says that the body of the request is not read any further, and why: the reason
// becomes the answer, whatever happens to what was read. The first reason counts. It is
// safe for concurrent use.
func (s *State) AbortBody(reason error) { s.cut.CompareAndSwap(nil, &reason) }

// AbortCause returns the reason given to AbortBody; nil if it was not called.
func (s *State) AbortCause() error {
	if reason := s.cut.Load(); reason != nil {
		return *reason
	}
	return nil
}

// Dialect says which members an error has beside those of problem+json.
type Dialect int

// The dialects.
const (
	// PlainDialect adds no members.
	PlainDialect Dialect = iota
	// PlatformIdentity adds the members of the platform's identity API (docs/platform.md
	// I11).
	PlatformIdentity
	// PlatformSigning adds the members of the platform's signing API (docs/platform.md
	// S12).
	PlatformSigning
)

type key struct{}

// carrier is the context of a request, with all that is known of the request in one piece:
// every request makes one.
type carrier struct {
	context.Context
	state  State
	waited redisdb.Budget
}

// Value returns what the request's context carries for package request, reqctx or redisdb,
// and for others what its parent does.
func (c *carrier) Value(of any) any {
	switch of.(type) {
	case key:
		return &c.state
	case reqctx.Key:
		return &c.state.Info
	case redisdb.BudgetKey:
		return &c.waited
	}
	return c.Context.Value(of)
}

// Begin gives c an empty State, and one time-out to all its questions to Redis. Package
// reqctx finds the same Info in the request's context.
func Begin(c *gin.Context) *State {
	ctx := &carrier{Context: c.Request.Context()}
	c.Request = c.Request.WithContext(ctx)
	return &ctx.state
}

// From returns the State of c. Before Begin it returns a new, empty one.
func From(c *gin.Context) *State {
	if s, ok := c.Request.Context().Value(key{}).(*State); ok {
		return s
	}
	return &State{}
}

// Person returns the signed-in user of the request; false when signed out.
func Person(c *gin.Context) (session.User, bool) {
	if s := From(c).Session; s != nil {
		return s.User()
	}
	return session.User{}, false
}

// RequirePerson returns the signed-in user, or session.required.
func RequirePerson(c *gin.Context) (session.User, error) {
	person, ok := Person(c)
	if !ok {
		return session.User{}, fault.New(fault.SessionRequired)
	}
	return person, nil
}

// LogCause makes the request's log line report cause, although the answer does not.
func LogCause(c *gin.Context, cause error) { From(c).Cause = cause }

// Audit records e as done in this request, by the signed-in person unless e names
// another.
func Audit(c *gin.Context, e audit.Event) {
	if s := From(c); s.Trail != nil {
		e = inRequest(c, s, e)
		s.Trail.Record(c.Request.Context(), e)
	}
}

// Refused records e as refused with err, which it returns; the event's reason is the key of
// the exact fault.
func Refused(c *gin.Context, e audit.Event, err error) error {
	e.Reason = string(fault.From(err).MostSpecific().Key)
	Audit(c, e)
	return err
}

// auditFirst is Audit for an event without which nothing may follow: the error,
// server.unavailable, says that it could not be written.
func auditFirst(c *gin.Context, e audit.Event) error {
	s := From(c)
	if s.Trail == nil {
		return nil
	}
	e = inRequest(c, s, e)
	if err := s.Trail.RecordFirst(c.Request.Context(), e); err != nil {
		return fault.Wrap(fault.ServerUnavailable, err)
	}
	return nil
}

// inRequest returns e with who did it, from where and in which request.
func inRequest(c *gin.Context, s *State, e audit.Event) audit.Event {
	e.Request, e.Address, e.Device = s.ID, s.Address, c.Request.UserAgent()
	if s.Session == nil {
		return e
	}
	if person, ok := s.Session.User(); ok && (e.Person == "" || e.Person == person.ID) {
		e.Person, e.Session, e.Email, e.Language = person.ID, s.Session.ID(), person.Email, s.Language
	}
	return e
}

// Audience returns the audience of the request's errors. A person who is signed in as
// somebody else than User counts as anonymous.
func Audience(c *gin.Context) fault.Audience { return audienceFor(c, From(c).User) }

// audienceFor returns the audience of errors about the account of user; "" is the
// signed-in person.
func audienceFor(c *gin.Context, user string) fault.Audience {
	person, signedIn := Person(c)
	switch {
	case From(c).RevealAccountState:
		return fault.Unrestricted
	case signedIn && (user == "" || user == person.ID):
		return fault.SignedIn
	}
	return fault.Anonymous
}

// FromBrowser reports whether r carries one of the headers that browsers add to the
// requests of a page and that no script can remove.
func FromBrowser(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
}

// FromProgram reports whether r carries an Authorization that browsers do not send by
// themselves: Bearer and DPoP anywhere, Basic below /api/. Elsewhere a browser may send Basic,
// from https://name:password@host.
func FromProgram(r *http.Request) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, dpop.Scheme) ||
		strings.EqualFold(scheme, "Basic") && strings.HasPrefix(r.URL.Path, "/api/")
}

// WantsToken reports whether a session that begins with r, a request in session s, is
// returned as a token in the answer, instead of a cookie: to programs, which bring a
// token already or ask for one. A page in a browser never gets one.
func WantsToken(r *http.Request, s *session.Session) bool {
	if FromProgram(r) || s != nil && s.Bearer() {
		return true
	}
	return strings.EqualFold(r.Header.Get("Countersign-Session"), "bearer") && !FromBrowser(r)
}

// Proofs say which key a session is bound to that begins with a request.
type Proofs struct {
	Sessions *session.Store
	// Required says that every session of an app is bound.
	Required bool
}

// Key returns the thumbprint of the key that the client of r, a request in session held,
// proves to hold; nil for a browser, whose proofs do not count, and for an app that proves
// nothing. The error is session.proof for a proof that is not good, and
// session.proof-required for an app without one, if it must have one; any other is an
// outage.
func (p Proofs) Key(r *http.Request, held *session.Session) ([]byte, error) {
	switch {
	case !WantsToken(r, held):
		return nil, nil
	case held != nil && held.Bound():
		return held.Key(), nil
	case len(r.Header[dpop.Header]) > 0:
		return p.Sessions.Prove(r)
	case p.Required:
		return nil, fault.New(fault.SessionProofRequired)
	}
	return nil, nil
}

// SendSessionToken gives the client the token of a session that this request created: programs as
// member sessionToken of body, with the tokenType of a bound one, browsers in the cookie.
func SendSessionToken(c *gin.Context, sessions *session.Store, s *session.Session, body map[string]any) {
	if s.Token() != "" && s.Bearer() {
		body["sessionToken"] = s.Token()
		if s.Bound() {
			body["tokenType"] = dpop.Scheme
		}
		return
	}
	sessions.SendCookie(c.Writer, s)
}
