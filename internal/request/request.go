// Package request is what a request carries and how it is answered: its session,
// person and audience, its JSON body with all violations at once, JSON answers,
// limits and step-up. The routes of web, handlers and signingproxy share it. It
// knows no flow.
package request

import (
	"context"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/reqctx"
	"countersign/session"
)

// State is what is known of one request. The middleware of web fills it in as the
// request goes down the house; it belongs to that request's goroutine.
type State struct {
	reqctx.Info
	// Session is signed in, or signed out with something under way (a
	// pre-session), or nil.
	Session *session.Session
	// User is the canonical id of the person that the path names ({user}); empty
	// where it names nobody.
	User string
	// RevealAccountState says that the installation conceals no account's state.
	RevealAccountState bool
	// Unrestricted says that the installation tells everybody about the state of
	// accounts.
	Unrestricted bool
	// Refuse answers with an error at once, as the edge does with the one that the
	// handler returns.
	Refuse func(error)
	// Dialect is how the errors of the route are said.
	Dialect Dialect
	// Problem is the body of an error, in JSON, for an answer that has begun already.
	Problem func(error) []byte
	// Cause is what went wrong although the answer is a success, for the log; nil
	// where nothing did.
	Cause error
	// Trail takes what of consequence is done in the request; nil takes nothing.
	Trail *audit.Trail

	cut atomic.Pointer[error]
}

// Cut says that the body of the request is not read on, and why: that is the answer,
// whatever becomes of what was read. The first reason counts. It is safe for concurrent
// use.
func (s *State) Cut(reason error) { s.cut.CompareAndSwap(nil, &reason) }

// WasCut returns the reason that Cut was given; nil for none.
func (s *State) WasCut() error {
	if reason := s.cut.Load(); reason != nil {
		return *reason
	}
	return nil
}

// Dialect says which members an error has beside those of problem+json.
type Dialect int

// The dialects.
const (
	// PlainDialect has no others.
	PlainDialect Dialect = iota
	// PlatformIdentity has those of the platform's identity API as well (identity
	// facts, section 5.1).
	PlatformIdentity
	// PlatformSigning has those of the platform's signing API as well (docs/platform.md S12).
	PlatformSigning
)

type key struct{}

// Begin gives c an empty State, and what it asks of Redis one time-out. Package reqctx
// finds the same Info in the request's context.
func Begin(c *gin.Context) *State {
	s := &State{}
	ctx := redisdb.ShareTimeout(reqctx.With(c.Request.Context(), &s.Info))
	c.Request = c.Request.WithContext(context.WithValue(ctx, key{}, s))
	return s
}

// From is the State of c. Before Begin it is a fresh, empty one.
func From(c *gin.Context) *State {
	if s, ok := c.Request.Context().Value(key{}).(*State); ok {
		return s
	}
	return &State{}
}

// Person is the signed-in user of the request; false when signed out.
func Person(c *gin.Context) (session.User, bool) {
	if s := From(c).Session; s != nil {
		return s.User()
	}
	return session.User{}, false
}

// RequirePerson is the signed-in user, or session.required.
func RequirePerson(c *gin.Context) (session.User, error) {
	person, ok := Person(c)
	if !ok {
		return session.User{}, fault.New(fault.SessionRequired)
	}
	return person, nil
}

// LogCause has the log line of the request tell cause, although the request is
// answered otherwise.
func LogCause(c *gin.Context, cause error) { From(c).Cause = cause }

// Audience is who the errors of the request are told to. Whoever is signed in as
// somebody else than User is anonymous.
func Audience(c *gin.Context) fault.Audience { return AudienceFor(c, From(c).User) }

// AudienceFor is who is told of the account of user; "" is that of the person who
// is signed in.
func AudienceFor(c *gin.Context, user string) fault.Audience {
	person, signedIn := Person(c)
	switch {
	case From(c).RevealAccountState:
		return fault.Unrestricted
	case signedIn && (user == "" || user == person.ID):
		return fault.SignedIn
	}
	return fault.Anonymous
}
