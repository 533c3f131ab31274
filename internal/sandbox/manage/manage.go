// Package manage is how tests and people steer the sandbox: /_manage/ with its
// faults, its clock, its journal, its outbox and its people.
//
// A Server wraps the platform's operations (Steer): it writes each call into the
// journal and lets a fault answer in the operation's place. Who may reach
// /_manage/ is decided by its caller; what an operation does is the platform's.
package manage

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/wire"
)

// Options are the parts of the platform that are steered.
type Options struct {
	Clock    *Clock
	Identity *identity.Server
	// Operations are the names that faults go by.
	Operations []string
}

// Server is the management interface. It is safe for concurrent use.
type Server struct {
	clock      *Clock
	identity   *identity.Server
	operations []string
	faults     faults
	journal    journal
	outbox     outbox
	closed     chan struct{}
	closing    sync.Once
}

// New is the management interface of a platform at its start.
func New(o Options) *Server {
	return &Server{
		clock:      o.Clock,
		identity:   o.Identity,
		operations: slices.Sorted(slices.Values(o.Operations)),
		closed:     make(chan struct{}),
	}
}

// Close ends every delay under way.
func (s *Server) Close() { s.closing.Do(func() { close(s.closed) }) }

// Routes is everything below /_manage/. Commands answer 204.
func (s *Server) Routes() []wire.Route {
	return []wire.Route{
		{Operation: "putUser", Method: http.MethodPut, Path: "/_manage/users/{user}", Call: s.putUser},
		{Operation: "addFault", Method: http.MethodPost, Path: "/_manage/faults", Call: s.addFault},
		{Operation: "advanceClock", Method: http.MethodPost, Path: "/_manage/clock", Call: s.advanceClock},
		{Operation: "readJournal", Method: http.MethodGet, Path: "/_manage/journal", Call: s.readJournal},
		{Operation: "emptyJournal", Method: http.MethodDelete, Path: "/_manage/journal", Call: s.emptyJournal},
		{Operation: "readOutbox", Method: http.MethodGet, Path: "/_manage/outbox", Call: s.readOutbox},
		{Operation: "decidePush", Method: http.MethodPost, Path: "/_manage/push/{requestID}", Call: s.decidePush},
		{Operation: "reset", Method: http.MethodPost, Path: "/_manage/reset", Call: s.reset},
	}
}

func (s *Server) putUser(r *http.Request) (any, error) {
	var change identity.Change
	if err := wire.Decode(r, &change); err != nil {
		return nil, err
	}
	return nil, s.identity.Put(r.PathValue("user"), change)
}

func (s *Server) advanceClock(r *http.Request) (any, error) {
	var in struct {
		Advance string `json:"advance"`
	}
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	by, err := time.ParseDuration(in.Advance)
	if err != nil || by <= 0 {
		return nil, wire.Invalid(wire.Violation{Field: "advance", Message: `must be a duration above zero such as "60s"`})
	}
	s.clock.advance(by)
	return nil, nil
}

func (s *Server) decidePush(r *http.Request) (any, error) {
	var in struct {
		Decision string `json:"decision"`
	}
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	if in.Decision != "accept" && in.Decision != "refuse" {
		return nil, wire.Invalid(wire.Violation{Field: "decision", Message: "must be one of accept, refuse"})
	}
	return nil, s.identity.Decide(r.PathValue("requestID"), in.Decision == "accept")
}

func (s *Server) reset(*http.Request) (any, error) {
	s.faults.clear()
	s.clock.reset()
	s.identity.Reset()
	s.outbox.clear()
	s.journal.clear()
	return nil, nil
}
