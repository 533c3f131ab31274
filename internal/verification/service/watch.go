package service

import (
	"context"

	"github.com/go-json-experiment/json"

	"countersign/internal/access"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

// Watch returns the function that reads a transaction for a live page. The function also
// writes each new state to the index.
func (s *Service) Watch(ctx context.Context, who access.Actor, id string) (events.Fetch, error) {
	if err := s.grantedToRead(ctx, who, id, "watchTransaction"); err != nil {
		return nil, err
	}
	var seen verification.Status
	return func(ctx context.Context) (events.State, error) {
		t, err := s.Platform.Transaction(ctx, id)
		if fault.Is(err, fault.RequestNotFound) {
			_ = s.Index.Missing(ctx, id) // if this fails, the next read corrects the index
		}
		if err != nil {
			return events.State{}, err
		}
		if t.Status != seen && s.Index.Upsert(ctx, t.Value) == nil {
			seen = t.Status
		}
		return stateOf(t)
	}, nil
}

// NoteChange makes live pages and the index read a transaction now, after a callback of the
// platform. The error is an outage of Redis.
func (s *Service) NoteChange(ctx context.Context, id string) error {
	s.Hint(ctx, id)
	err := s.Index.Refresh(ctx, id)
	if fault.Is(err, fault.ServerUnavailable) {
		return err
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "changed identity check not read", "cause", err.Error())
	}
	return nil
}

// stateOf returns the facts about a transaction that a live page gets.
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
