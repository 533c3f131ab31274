package identity

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// A pushed sign-in waits for the person's device for pushTimeout (the platform's
// default for a remote transaction); what became of it can be read until
// pushKept.
const (
	pushTimeout = 60 * time.Second
	pushKept    = 5 * time.Minute
)

// The values of sessionStatus.
const (
	statusPending  = "pending"
	statusAccepted = "accepted"
	statusRefused  = "refused"
	statusTimeout  = "timeout"
)

// push is a sign-in that a person's device was asked about.
type push struct {
	user     string
	expires  time.Time
	decision string // "" until the device has answered
}

func (p push) status(now time.Time) string {
	switch {
	case p.decision != "":
		return p.decision
	case !now.Before(p.expires):
		return statusTimeout
	default:
		return statusPending
	}
}

func (s *Server) push(p account) string {
	requestID, now := uuid.NewString(), s.now()
	s.pushes.add(requestID, push{user: p.ID, expires: now.Add(pushTimeout)}, now)
	return requestID
}

func (s *Server) sessionStatus(r *http.Request) (any, error) {
	var status string
	now := s.now()
	if !s.pushes.with(r.PathValue("requestID"), now, func(p *push) { status = p.status(now) }) {
		return nil, wire.Refuse(http.StatusNotFound, "Request ID is invalid")
	}
	return struct {
		SessionStatus string `json:"sessionStatus"`
	}{status}, nil
}

// decide answers a pushed sign-in as its person's device would. An account that
// was disabled or locked meanwhile is refused whatever the device says. An
// unknown requestID is a 404, one that is no longer pending a 409.
func (s *Server) decide(requestID string, accept bool) error {
	now, late := s.now(), ""
	found := s.pushes.with(requestID, now, func(p *push) {
		if late = p.status(now); late != statusPending {
			return
		}
		late, p.decision = "", statusRefused
		if accept && s.mayAct(p.user) {
			p.decision = statusAccepted
		}
	})
	switch {
	case !found:
		return wire.Refuse(http.StatusNotFound, "Request ID is invalid")
	case late != "":
		return wire.Conflict("The request is no longer pending: " + late)
	default:
		return nil
	}
}

func (s *Server) mayAct(id string) bool {
	p, err := s.accounts.find(id)
	return err == nil && p.mayAct() == nil
}

// decidePush is decide for whoever steers the sandbox.
func (s *Server) decidePush(r *http.Request) (any, error) {
	var in struct {
		Decision string `json:"decision"`
	}
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	var rules wire.Rules
	rules.OneOf("decision", &in.Decision, "accept", "refuse")
	if err := rules.Err(); err != nil {
		return nil, err
	}
	return nil, s.decide(r.PathValue("requestID"), in.Decision == "accept")
}
