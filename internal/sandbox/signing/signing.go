// Package signing is the sandbox's platform for electronic signing: packages
// with their roles, signers and documents. It answers as the specification
// (parts 2, 3.1, 4.1, 4.2, 7.1) and docs/platform.md say that the platform
// does, errors included.
//
// It keeps everything in memory. Its JSON structs are its own, so that a wrong
// member name of Countersign's does not cancel itself out.
package signing

import (
	"log/slog"
	"net/http"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/wire"
)

// Options are what the signing platform runs on.
type Options struct {
	// Now is the platform's clock.
	Now func() time.Time
	// Outbox takes the e-mails and SMS.
	Outbox *outbox.Outbox
	// Log is told of callbacks that nobody takes.
	Log *slog.Logger
	// PDF reads documents; nil takes them as they are.
	PDF *pdf.Workers
	// Home is where the signing page leads back to; "" is nowhere.
	Home string
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
	written    writtenFiles
	drafts     drafts
	home       string
}

// New is the platform at its start, without packages.
func New(o Options) *Server {
	s := &Server{
		now: o.Now, outbox: o.Outbox, sessions: &sessions{now: o.Now},
		fields: &customFields{check: checkAccountField}, userFields: &customFields{check: checkUserField}, callbacks: newCallbacks(o.Log),
		pdf: o.PDF, home: o.Home,
	}
	s.store = &store{now: o.Now, tell: s.tell}
	s.Reset()
	return s
}

// Close ends the callbacks under way, and the reading of documents.
func (s *Server) Close() {
	s.callbacks.sender.Close()
	if s.pdf != nil {
		s.pdf.Close()
	}
}

// Advanced does what has become due, such as reminders, now that the clock has
// moved.
func (s *Server) Advanced() { s.store.advance() }

// Steering makes packages in number.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{{Method: http.MethodPost, Path: "/_manage/packages", Call: wire.JSON(s.makePackages)}}
}

// Errors is the form of the signing platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// Reset forgets every package, session, custom field and setting of the account.
func (s *Server) Reset() {
	s.callbacks.reset()
	s.store.reset()
	s.sessions.reset()
	s.fields.reset()
	s.userFields.reset()
	s.written.reset()
	s.drafts.reset()
}
