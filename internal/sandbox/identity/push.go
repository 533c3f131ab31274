package identity

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// A pushed sign-in waits for the person's device for pushTimeout (the platform's default
// for a remote transaction); its result can be read for pushKept.
const (
	pushTimeout = 60 * time.Second
	pushKept    = 5 * time.Minute
)

// The values of sessionStatus.
const (
	statusUnknown  = "unknown"
	statusPending  = "pending"
	statusAccepted = "accepted"
	statusRefused  = "refused"
	statusTimeout  = "timeout"
)

// push is a sign-in that waits for a person's device.
type push struct {
	user     string
	expires  time.Time
	decision string // "" before the device's answer
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

func (s *Server) push(a account) string {
	requestID, now := uuid.NewString(), s.now()
	s.pushes.add(requestID, push{user: a.ID, expires: now.Add(pushTimeout)}, now)
	return requestID
}

func (s *Server) sessionStatus(r *http.Request) (any, error) {
	requestID, status, now := r.PathValue("requestID"), statusUnknown, s.now()
	var form rules
	form.requestID("requestID", &requestID)
	if err := form.Err(); err != nil {
		return nil, err
	}
	if !s.pushes.change(requestID, now, func(p *push) { status = p.status(now) }) && !s.unknownStatus.Load() {
		return nil, wire.Refuse(http.StatusNotFound, "Request ID is invalid")
	}
	return struct {
		SessionStatus string `json:"sessionStatus"`
	}{status}, nil
}

// decide answers a push of the user, or of anybody if user is "", like the device. An
// account that was disabled or locked meanwhile is refused whatever the device decides.
// An unknown requestID is a 404, one that is no longer pending a 409.
func (s *Server) decide(user, requestID string, accept bool) error {
	now := s.now()
	var refusal error = wire.Refuse(http.StatusNotFound, "Request ID is invalid")
	s.pushes.change(requestID, now, func(p *push) {
		status := p.status(now)
		switch {
		case user != "" && user != p.user:
		case status != statusPending:
			refusal = wire.Conflict("The request is no longer pending: " + status)
		case accept && s.mayAct(p.user):
			refusal, p.decision = nil, statusAccepted
		default:
			refusal, p.decision = nil, statusRefused
		}
	})
	return refusal
}

func (s *Server) mayAct(id string) bool {
	a, err := s.accounts.find(id)
	return err == nil && a.mayAct() == nil
}

// Push is a request that waits for a person's device.
type Push struct{ RequestID, User string }

// Pushes returns what waits for devices, in the order of its arrival.
func (s *Server) Pushes() (waiting []Push) {
	now := s.now()
	s.pushes.each(now, func(id string, p push) {
		if p.status(now) == statusPending {
			waiting = append(waiting, Push{RequestID: id, User: p.user})
		}
	})
	return waiting
}

// Decide answers anybody's push, as POST /_manage/push does.
func (s *Server) Decide(requestID string, accept bool) error { return s.decide("", requestID, accept) }

type decisionInput struct {
	Decision string `json:"decision"`
}

// decidePush answers anybody's push.
func (s *Server) decidePush(r *http.Request, in decisionInput) (any, error) {
	var rules wire.Rules
	rules.OneOf("decision", &in.Decision, "accept", "refuse")
	if err := rules.Err(); err != nil {
		return nil, err
	}
	return nil, s.decide("", r.PathValue("requestID"), in.Decision == "accept")
}
