package idv

import (
	"net/http"
	"strconv"
	"time"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// trailDelay is the time for making an audit trail.
const trailDelay = 2 * time.Second

// trail is a requested audit trail.
type trail struct {
	version   int // of the document: each one that is made has the next
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

// address returns the storage's address of an audit trail of t.
func (t trail) address(of *transaction) string {
	return of.stored("docs/AuditTrailDocument_" + strconv.Itoa(t.version) + "/1")
}

// generateTrail makes an audit trail, or answers with the existing one; with force it
// makes it again. The body is an assumption, because it is not public (docs/platform.md V6).
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
		next := trail{version: 1, asked: now, lines: lines}
		if t.trail != nil {
			next.version += t.trail.version
		}
		t.trail = &next
		return nil
	})
	if err != nil {
		return nil, err
	}
	answer := struct {
		Status string `json:"status"`
		URL    string `json:"url"`
	}{trailInProgress, t.trail.address(t)}
	if t.trail.announced {
		answer.Status = trailReady
	}
	return answer, nil
}

// download returns the audit trail once it is ready.
func (t trail) download() (any, error) {
	if !t.announced {
		return nil, wire.Conflict("The audit trail is not ready")
	}
	return wire.Raw{Media: "application/pdf", Body: pdf.Text(t.lines...)}, nil
}
