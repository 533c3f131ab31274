// Package signing is the sandbox's platform for electronic signing: packages
// with their roles, signers and documents. It answers as the specification
// (parts 2, 3.1, 4.1, 4.2, 7.1) and the signing facts say that the platform
// does, errors included.
//
// It keeps everything in memory. Its JSON structs are its own, so that a wrong
// member name of Countersign's does not cancel itself out.
package signing

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/wire"
)

// Server is the signing platform. It is safe for concurrent use.
type Server struct {
	now      func() time.Time
	store    *store
	sessions *sessions
	fields   *customFields
}

// New is the platform at its start, without packages, on that clock.
func New(now func() time.Time) *Server {
	s := &Server{now: now, store: &store{now: now}, sessions: &sessions{now: now}, fields: &customFields{}}
	s.Reset()
	return s
}

// Steering makes packages in number and sets what the account is like.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPost, Path: "/_manage/packages", Call: wire.JSON(s.makePackages)},
		{Method: http.MethodPut, Path: "/_manage/account", Call: wire.JSON(s.putAccount)},
	}
}

// Errors is the form of the signing platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// Reset forgets every package, session, custom field and setting of the account.
func (s *Server) Reset() {
	s.store.reset()
	s.sessions.reset()
	s.fields.reset()
}
