package service

import (
	"context"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

// Erase marks transactions for erasure in one call of the platform, and reports which of
// them it has marked. It does not send ids that the actor may not have erased. The error
// is verification.operators-only if the settings leave erasure to operators,
// session.step-up without a fresh sign-in, or the platform's.
func (s *Service) Erase(ctx context.Context, who access.Actor, e verification.Erasure) (map[string]bool, error) {
	return s.erase(ctx, who, erasure{markForErasure, e.IDs, s.Now().AddDate(0, 0, e.Days), func(ids []string) (map[string]bool, error) {
		return s.Platform.Mark(ctx, verification.Erasure{Days: e.Days, IDs: ids})
	}})
}

// TakeBack removes the marks of transactions, with the same checks and errors as Erase.
func (s *Service) TakeBack(ctx context.Context, who access.Actor, ids []string) (map[string]bool, error) {
	return s.erase(ctx, who, erasure{unmarkForErasure, ids, time.Time{}, func(ids []string) (map[string]bool, error) {
		return s.Platform.Unmark(ctx, ids)
	}})
}

// erasure is one of the two operations, Erase or TakeBack.
type erasure struct {
	operation string
	ids       []string
	at        time.Time // time of the erasure; zero if it is taken back
	send      func(ids []string) (map[string]bool, error)
}

func (s *Service) erase(ctx context.Context, who access.Actor, e erasure) (map[string]bool, error) {
	if !who.Operator && !s.StartersErase {
		return nil, fault.New(fault.VerificationOperatorsOnly)
	}
	if err := who.StepUp(); err != nil {
		return nil, err
	}
	var sent []string
	startedBy := map[string]string{}
	for _, id := range e.ids {
		t, err := s.granted(ctx, who, id)
		switch {
		case fault.Is(err, fault.RequestNotFound):
		case err != nil:
			return nil, err
		case t.MayErase:
			sent, startedBy[id] = append(sent, id), t.startedBy
		}
	}
	if len(sent) == 0 {
		return nil, nil
	}
	said, err := e.send(sent)
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, id := range sent {
		if !said[id] {
			continue
		}
		done[id] = true
		who.LogFailure("tell the index of a verification", s.Index.Marked(context.WithoutCancel(ctx), id, e.at))
		s.done(ctx, who, e.operation, id, startedBy[id])
	}
	return done, nil
}
