package verify

import (
	"context"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/handlers/page"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

// VerificationEvents tells whoever may see a verification what changes about it, while it
// is under way.
type VerificationEvents struct {
	Verifications
	Streams page.Streams
}

// Stream answers GET /verifications/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
func (h VerificationEvents) Stream(c *gin.Context) error {
	id, person, _, err := h.granted(c)
	if err != nil {
		return err
	}
	return h.Streams.Serve(c, id, person, h.fetch(id))
}

// fetch reads the transaction, and has the index know what it has become.
func (h VerificationEvents) fetch(id string) events.Fetch {
	var seen verification.Status
	return func(ctx context.Context) (events.State, error) {
		t, err := h.Platform.Transaction(ctx, id)
		if fault.Is(err, fault.RequestNotFound) {
			_ = h.Access.Gone(ctx, id) // whoever asks next finds out again
		}
		if err != nil {
			return events.State{}, err
		}
		if t.Status != seen && h.Access.Saw(ctx, t.Value) == nil {
			seen = t.Status
		}
		return stateOf(t)
	}
}

// stateOf is what a stream tells of a transaction.
func stateOf(t verification.Transaction) (events.State, error) {
	status, err := json.Marshal(map[string]verification.Status{"status": t.Status})
	if err != nil {
		return events.State{}, err
	}
	state := events.State{Facts: []events.Fact{{Name: "state", Data: status}}, Over: !t.Status.Active()}
	if t.Stage != "" {
		stage, err := json.Marshal(map[string]string{"name": t.Stage})
		if err != nil {
			return events.State{}, err
		}
		state.Facts = append(state.Facts, events.Fact{Name: "stage", Data: stage})
	}
	if t.HasTrail() {
		state.Facts = append(state.Facts, events.Fact{Name: "audit-trail", Data: []byte("{}")})
	}
	return state, nil
}
