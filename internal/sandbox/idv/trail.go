package idv

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// trailDelay is how long an audit trail takes to be made.
const trailDelay = 2 * time.Second

// trail is an audit trail that was asked for.
type trail struct {
	id    string
	asked time.Time
	lines []string // what happened until then
	told  bool     // that it is ready
}

// ready is when it can be downloaded.
func (t trail) ready() time.Time { return t.asked.Add(trailDelay) }

// The statuses of an audit trail.
const (
	trailInProgress = "IN_PROGRESS"
	trailReady      = "READY"
)

// generateTrail has an audit trail be made, or answers the one that there is; with
// force it is made again. Body and link are an assumption, for they are public
// nowhere (facts, 2).
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
	if t.trail.told {
		answer.Status = trailReady
	}
	return wire.Accepted(answer), nil
}

// downloadTrail is the audit trail once it is made.
func (s *Server) downloadTrail(r *http.Request) (any, error) {
	t, err := s.store.find(r.PathValue("transaction"))
	switch {
	case err != nil:
		return nil, err
	case t.trail == nil || t.trail.id != r.PathValue("trail"):
		return nil, unknown("audit trail")
	case !t.trail.told:
		return nil, wire.Conflict("The audit trail is not ready")
	}
	return file{pdf.Pad(pdf.Text(t.trail.lines...), 0)}, nil
}
