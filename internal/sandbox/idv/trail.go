package idv

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// trailDelay is the time for making an audit trail.
const trailDelay = 2 * time.Second

// trail is a requested audit trail.
type trail struct {
	id        string
	asked     time.Time
	lines     []string // the events until then
	announced bool     // its event has been sent
}

// ready returns the time from which it can be downloaded.
func (t trail) ready() time.Time { return t.asked.Add(trailDelay) }

// The statuses of an audit trail.
const (
	trailInProgress = "IN_PROGRESS"
	trailReady      = "READY"
)

// generateTrail makes an audit trail, or answers with the existing one; with force it
// makes it again. Body and link are an assumption, because they are not public
// (docs/platform.md V6).
func (s *Server) generateTrail(r *http.Request) (any, error) {
	force, err := flag(r, "force")
	if err != nil {
		return nil, err
	}
	t, err := s.store.change(r.PathValue("transaction"), func(t *transaction, now time.Time) error {
		if err := t.wantActive(); err != nil || t.trail != nil && !force {
			return err
		}
		t.note(notified("audit_trail_requested"), now)
		lines := append(t.heading("Audit trail"), trailLines(t.events)...)
		t.trail = &trail{id: uuid.NewString(), asked: now, lines: lines}
		return nil
	})
	if err != nil {
		return nil, err
	}
	answer := struct {
		Status string `json:"status"`
		URL    string `json:"url"`
	}{trailInProgress, site(r) + "/api/transactions/" + t.id + "/audit-trail/" + t.trail.id}
	if t.trail.announced {
		answer.Status = trailReady
	}
	return wire.Accepted(answer), nil
}

// downloadTrail answers with the audit trail once it is ready.
func (s *Server) downloadTrail(r *http.Request) (any, error) {
	t, err := s.store.find(r.PathValue("transaction"))
	switch {
	case err != nil:
		return nil, err
	case t.trail == nil || t.trail.id != r.PathValue("trail"):
		return nil, unknown("audit trail")
	case !t.trail.announced:
		return nil, wire.Conflict("The audit trail is not ready")
	}
	return file{pdf.Pad(pdf.Text(t.trail.lines...), 0)}, nil
}
