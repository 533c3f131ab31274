// Package signing is the sandbox's e-signing API. It answers, also with errors, as the
// specification (parts 2, 3.1, 4.1, 4.2, 7.1) and docs/platform.md describe the platform.
//
// Everything is kept in memory. The package has separate JSON structs, so that a member
// name that Countersign gets wrong is noticed.
package signing

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/callback"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/wire"
)

// Options configure the signing platform.
type Options struct {
	// Now is the platform's clock.
	Now func() time.Time
	// Outbox receives the e-mails and SMS.
	Outbox *outbox.Outbox
	// Log gets undeliverable callbacks.
	Log *slog.Logger
	// PDF reads documents; with nil they are accepted unread.
	PDF *pdf.Workers
	// APIKey, if not empty, is the key that callers must show, and the secret of the OAuth
	// client instead of ClientSecret.
	APIKey string
	// Host is told, besides the registered addresses, of what people and the platform itself
	// do; the zero value is none.
	Host callback.Receiver
	// Home is the address to which the signing page leads back, or "".
	Home string
	// Seed is what the account holds at the beginning, checked.
	Seed Seed
}

// Server is the signing platform. It is safe for concurrent use.
type Server struct {
	now        func() time.Time
	outbox     *outbox.Outbox
	store      *store
	sessions   *sessions
	fields     *customFields
	userFields *customFields
	callbacks  *callbacks
	pdf        *pdf.Workers
	written    memory[string, writtenFile] // by package id and document id, as last requested
	drafts     memory[draftKey, url.Values]
	callers    *callers
	home       string
	seed       Seed
}

// New returns the platform with the packages and custom fields of the seed.
func New(o Options) *Server {
	s := &Server{
		now: o.Now, outbox: o.Outbox, sessions: &sessions{now: o.Now},
		fields: &customFields{check: checkAccountField}, userFields: &customFields{check: checkUserField}, callbacks: newCallbacks(o.Host, o.Log),
		pdf: o.PDF, home: o.Home, seed: o.Seed, callers: newCallers(o),
	}
	s.store = &store{now: o.Now, sendEvents: s.sendEvents}
	s.Reset()
	return s
}

// Close ends callbacks and the reading of documents.
func (s *Server) Close() {
	s.callbacks.sender.Close()
	if s.pdf != nil {
		s.pdf.Close()
	}
}

// Advanced carries out what has become due, such as reminders, after the clock was moved.
func (s *Server) Advanced() { s.store.advance() }

// Management returns the management calls that make many packages, and that say what was
// found in attached files.
func (s *Server) Management() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPost, Path: "/_manage/packages", Call: wire.JSON(s.makePackages)},
		{Method: http.MethodPost, Path: "/_manage/attachment-verifications", Call: wire.JSON(s.setCheck)},
	}
}

// Errors returns the form of the signing platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// Reset goes back to the packages and custom fields of the seed, without sessions and
// settings of the account.
func (s *Server) Reset() {
	s.callbacks.reset()
	s.store.reset()
	s.sessions.reset()
	s.fields.reset()
	s.userFields.reset()
	s.written.reset()
	s.drafts.reset()
	s.callers.change(byKey)
	s.plant()
}
