// Package manage is the sandbox's management API below /_manage/: faults, clock, journal,
// outbox, users.
//
// Its caller decides who can reach /_manage/; the services decide what the platform's
// operations do.
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
	// Advanced tells the services to carry out what has become due.
	Advanced func()
}

// Routes returns everything below /_manage/ except the services' own calls. Commands
// answer 204.
func (s *Server) Routes() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPut, Path: "/_manage/users/{user}", Call: wire.JSON(s.putUser)},
		{Method: http.MethodPost, Path: "/_manage/faults", Call: wire.JSON(s.addFault)},
		{Method: http.MethodDelete, Path: "/_manage/faults", Call: wire.Do(s.Platform.Faults.Clear)},
		{Method: http.MethodPost, Path: "/_manage/chaos", Call: wire.JSON(s.setChaos)},
		{Method: http.MethodDelete, Path: "/_manage/chaos", Call: wire.Do(func() { s.Platform.Faults.SetChaos(nil) })},
		{Method: http.MethodPost, Path: "/_manage/clock", Call: wire.JSON(s.advanceClock)},
		{Method: http.MethodGet, Path: "/_manage/journal", Call: s.readJournal},
		{Method: http.MethodDelete, Path: "/_manage/journal", Call: wire.Do(s.Platform.Journal.Clear)},
		{Method: http.MethodGet, Path: "/_manage/outbox", Call: s.readOutbox},
		{Method: http.MethodPost, Path: "/_manage/reset", Call: wire.Do(s.Reset)},
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

func (s *Server) readOutbox(*http.Request) (any, error) {
	s.Advanced() // time also passes by itself
	return struct {
		Messages []outbox.Message `json:"messages"`
	}{s.Outbox.List()}, nil
}

// Reset goes back to the beginning.
func (s *Server) Reset() {
	s.People.Reset()
	s.Platform.Reset()
	s.Outbox.Reset()
}
