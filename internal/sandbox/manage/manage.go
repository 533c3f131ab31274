// Package manage is how tests and people steer the sandbox: /_manage/ with the
// faults, the clock, the journal, the outbox and the people, and what single
// services add to it.
//
// Who may reach /_manage/ is decided by its caller; what an operation of the
// platform does is its service's.
package manage

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// Server is the management interface of a platform. It is safe for concurrent
// use.
type Server struct {
	Platform *wire.Platform
	Clock    *wire.Clock
	People   *people.Directory
	Outbox   *outbox.Outbox
	// Advanced has the services do what has become due.
	Advanced func()
}

// Routes is everything below /_manage/ but what services add. Commands answer
// 204.
func (s *Server) Routes() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPut, Path: "/_manage/users/{user}", Call: wire.JSON(s.putUser)},
		{Method: http.MethodPost, Path: "/_manage/faults", Call: wire.JSON(s.addFault)},
		{Method: http.MethodDelete, Path: "/_manage/faults", Call: s.clearFaults},
		{Method: http.MethodPost, Path: "/_manage/clock", Call: wire.JSON(s.advanceClock)},
		{Method: http.MethodGet, Path: "/_manage/journal", Call: s.readJournal},
		{Method: http.MethodDelete, Path: "/_manage/journal", Call: s.emptyJournal},
		{Method: http.MethodGet, Path: "/_manage/outbox", Call: s.readOutbox},
		{Method: http.MethodPost, Path: "/_manage/reset", Call: s.reset},
	}
}

type clockInput struct {
	Advance string `json:"advance"`
}

func (s *Server) advanceClock(_ *http.Request, in clockInput) (any, error) {
	by, err := time.ParseDuration(in.Advance)
	if err != nil || by <= 0 {
		return nil, wire.Invalid(wire.Violation{Field: "advance", Message: `must be a duration above zero such as "60s"`})
	}
	s.Clock.Advance(by)
	s.Advanced()
	return nil, nil
}

func (s *Server) readJournal(*http.Request) (any, error) {
	return struct {
		Entries []wire.Entry `json:"entries"`
	}{s.Platform.Journal.List()}, nil
}

func (s *Server) emptyJournal(*http.Request) (any, error) {
	s.Platform.Journal.Clear()
	return nil, nil
}

func (s *Server) readOutbox(*http.Request) (any, error) {
	s.Advanced() // Time passes by itself, too.
	return struct {
		Messages []outbox.Message `json:"messages"`
	}{s.Outbox.List()}, nil
}

func (s *Server) reset(*http.Request) (any, error) {
	s.People.Reset()
	s.Platform.Reset()
	s.Outbox.Reset()
	return nil, nil
}
