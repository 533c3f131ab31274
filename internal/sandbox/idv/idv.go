// Package idv is the sandbox's identity verification API. It answers as the specification
// (parts 2.10, 3.2, 4.4) and docs/platform.md describe the platform; where nothing is public
// (the error body, what answers a request for an audit trail), it follows an assumption, named
// at its place.
//
// A transaction's state depends only on its person's actions on the page, on the clock
// and on the calls below /_manage/. Everything is kept in memory. The package has JSON
// separate structs, so that a member name that Countersign gets wrong is noticed.
package idv

import (
	"log/slog"
	"net/http"
	"time"

	"countersign/internal/sandbox/callback"
	"countersign/internal/sandbox/wire"
)

// The credential of the platform's callers, and the ids that they may name.
const (
	// Token is sent as "Authorization: Bearer <Token>".
	Token = "sandbox-token"
	// Tenant is sent as X-Tenant.
	Tenant = "sandbox"
)

// Workflows returns the ids of workflows that a transaction may name.
func Workflows() []string {
	return []string{"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b"}
}

// Brands returns the ids of brands that a transaction may name.
func Brands() []string {
	return []string{"3f333df6-90a4-4fda-8dd3-9485d27cee36", "9c858901-8a57-4791-81fe-4c455b099bc9"}
}

// Options configure the platform.
type Options struct {
	// Token replaces the constant Token as the callers' credential; "" keeps the
	// constant.
	Token string
	// Now is the platform's clock.
	Now func() time.Time
	// Log gets undeliverable callbacks.
	Log *slog.Logger
	// Host is told of the ends of transactions that no call of the account causes, besides the
	// account's address; the zero value is none.
	Host callback.Receiver
	// Home is the page's last link if the client has set no redirect; "" shows none.
	Home string
	// Seed are the transactions of the beginning, checked.
	Seed []Seed
}

// Server is the platform for identity verification. It is safe for concurrent
// use.
type Server struct {
	now       func() time.Time
	bearer    string
	store     *store
	callbacks *callback.Sender
	host      callback.Receiver
	log       *slog.Logger
	home      string
	seed      []Seed
}

// New returns the platform with the transactions of the seed.
func New(o Options) *Server {
	s := &Server{now: o.Now, bearer: "Bearer " + Token, callbacks: callback.NewSender(o.Log), log: o.Log, home: o.Home, host: o.Host, seed: o.Seed}
	if o.Token != "" {
		s.bearer = "Bearer " + o.Token
	}
	s.store = &store{now: o.Now, sendEvents: s.sendEvents}
	s.Reset()
	return s
}

// Close ends the callbacks under way.
func (s *Server) Close() { s.callbacks.Close() }

// Advanced carries out what has become due, such as expiry, after the clock was moved.
func (s *Server) Advanced() { s.store.advance() }

// Errors returns the form of the platform's errors, which is not public.
func (s *Server) Errors() wire.Errors { return wire.PlainErrors{} }

// Reset goes back to the transactions of the seed, without the callback's address.
func (s *Server) Reset() {
	s.callbacks.Reset()
	s.store.reset()
	s.plant()
}

// credential checks the token (401) and the tenant (403).
func (s *Server) credential(r *http.Request) (string, error) {
	shown, err := wire.Authorization(r, s.bearer, "The token is missing or wrong")
	if err == nil && r.Header.Get("X-Tenant") != Tenant {
		return wire.CredentialWrong, wire.Refuse(http.StatusForbidden, "The token is not for this tenant")
	}
	return shown, err
}
