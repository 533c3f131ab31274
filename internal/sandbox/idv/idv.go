// Package idv is the sandbox's platform for identity verification: transactions
// in which a person shows an identity document and a face. It answers as the
// specification (parts 2.10, 3.2, 4.4) and the facts of identity verification say
// that the platform does; what is public nowhere (the error body, the audit
// trail's link, the path of an image) is an assumption, named where it stands.
//
// A transaction's state follows from what its person did on the page, from the
// clock and from what was asked for below /_manage/, and from nothing else. It
// keeps everything in memory. Its JSON structs are its own, so that a wrong member
// name of Countersign's does not cancel itself out.
package idv

import (
	"log/slog"
	"net/http"
	"time"

	"countersign/internal/sandbox/callback"
	"countersign/internal/sandbox/wire"
)

// What callers of the platform show and may name.
const (
	// Token is sent as "Authorization: Bearer <Token>".
	Token = "sandbox-token"
	// Tenant is sent as X-Tenant.
	Tenant = "sandbox"
)

// Workflows and Brands are the ids that a transaction may name.
var (
	Workflows = [2]string{"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b"}
	Brands    = [2]string{"3f333df6-90a4-4fda-8dd3-9485d27cee36", "9c858901-8a57-4791-81fe-4c455b099bc9"}
)

// Options are what the platform runs on.
type Options struct {
	// Token is what callers show in place of the constant; "" is the constant.
	Token string
	// Now is the platform's clock.
	Now func() time.Time
	// Log is told of callbacks that nobody takes.
	Log *slog.Logger
	// Home is where the page leads back to where the client has set no redirect; "" is
	// nowhere.
	Home string
}

// Server is the platform for identity verification. It is safe for concurrent
// use.
type Server struct {
	now       func() time.Time
	bearer    string
	store     *store
	callbacks *callback.Sender
	log       *slog.Logger
	home      string
}

// New is the platform at its start, without transactions.
func New(o Options) *Server {
	s := &Server{now: o.Now, bearer: "Bearer " + Token, callbacks: callback.NewSender(o.Log), log: o.Log, home: o.Home}
	if o.Token != "" {
		s.bearer = "Bearer " + o.Token
	}
	s.store = &store{now: o.Now, tell: s.tell}
	s.Reset()
	return s
}

// Close ends the callbacks under way.
func (s *Server) Close() { s.callbacks.Close() }

// Advanced does what has become due, such as expiry, now that the clock has moved.
func (s *Server) Advanced() { s.store.advance() }

// Errors is the form of the platform's errors, which is public nowhere.
func (s *Server) Errors() wire.Errors { return wire.PlainErrors{} }

// Reset forgets every transaction, and where callbacks go.
func (s *Server) Reset() {
	s.callbacks.Reset()
	s.store.reset()
}

// credential wants the token (401) and the tenant (403).
func (s *Server) credential(r *http.Request) (string, error) {
	shown, err := wire.Authorization(r, s.bearer, "The token is missing or wrong")
	if err == nil && r.Header.Get("X-Tenant") != Tenant {
		return wire.CredentialWrong, wire.Refuse(http.StatusForbidden, "The token is not for this tenant")
	}
	return shown, err
}
