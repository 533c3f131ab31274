package service

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"countersign/internal/fault"
	"countersign/internal/retention"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

const (
	// maxMarked limits the transactions that are marked at a time.
	maxMarked = 100
	// noticeDays is retention.Notice as the platform counts it.
	noticeDays = int(retention.Notice / (24 * time.Hour))
)

// Run sweeps the index until ctx ends, and after each sweep marks what is due by the rule, so that
// the platform erases it a day later.
func (s *Service) Run(ctx context.Context, every time.Duration, logger *slog.Logger) {
	s.Index.Run(ctx, every, logger, s.Retain)
}

// Retain marks what is due by the rule.
func (s *Service) Retain(ctx context.Context) { s.Retention.Run(ctx, s.markDue) }

// RetentionPlan returns the transactions that are erased by the rule, the earliest end first, each
// with the time of its erasure. It includes those that are not marked yet.
func (s *Service) RetentionPlan(ctx context.Context) ([]index.EndedCheck, error) {
	rule := s.Retention
	all, err := s.Index.Ended(ctx, rule.Ended())
	for i := range all {
		e := &all[i]
		if !e.ErasureAt.IsZero() {
			continue
		}
		e.ErasureAt = rule.RemovalTime(e.At)
		if !e.Later.IsZero() && e.Later.Add(retention.Notice).After(e.ErasureAt) {
			e.ErasureAt = e.Later.Add(retention.Notice)
		}
	}
	return all, err
}

// markDue marks what is due.
func (s *Service) markDue(ctx context.Context) error {
	rule, now := s.Retention, s.Now()
	all, err := s.Index.Ended(ctx, rule.Ended())
	if err != nil {
		return err
	}
	var due []index.EndedCheck
	for _, e := range all {
		if !e.ErasureAt.IsZero() || now.Before(e.Later) {
			continue
		}
		if len(due) == maxMarked {
			rule.Count(retention.Deferred, 1)
			break
		}
		is, err := s.isDue(ctx, e)
		if err != nil {
			rule.Count(retention.Failed, 1)
			return err
		}
		if is {
			due = append(due, e)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return s.markByRule(ctx, due)
}

// isDue asks the platform whether a transaction is as the index has it, and so due.
func (s *Service) isDue(ctx context.Context, e index.EndedCheck) (bool, error) {
	t, err := s.Platform.Transaction(ctx, e.ID)
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return false, s.Index.Missing(ctx, e.ID)
	case err != nil:
		return false, err
	case t.MarkedForErasure() && !e.Marking.IsZero(): // by the rule, which did not hear of it
		return false, s.markedByRule(ctx, e, e.Marking)
	case t.MarkedForErasure(): // by somebody, elsewhere
		return false, s.Index.LeaveUntil(ctx, e.ID, time.Time{})
	case t.Status.Active():
		return false, s.Index.LeaveUntil(ctx, e.ID, s.Now().Add(retention.Notice))
	}
	if end := t.CompletedAt(); end.IsZero() || end.Before(s.Retention.Ended()) {
		return true, nil
	}
	return false, s.Index.Upsert(ctx, t.Value)
}

// markByRule marks transactions, and tells the index, live pages and the audit trail.
func (s *Service) markByRule(ctx context.Context, due []index.EndedCheck) error {
	rule, at, ids := s.Retention, s.Now().Add(retention.Notice), make([]string, len(due))
	for i, e := range due {
		ids[i] = e.ID
		if err := s.Index.MarkingByRule(ctx, e.ID, at); err != nil {
			return err
		}
	}
	marked, err := s.Platform.Mark(ctx, verification.Erasure{Days: noticeDays, IDs: ids})
	if err != nil && fault.From(err).Row().Status >= http.StatusInternalServerError {
		rule.Count(retention.Failed, len(due))
		return err
	}
	if err != nil {
		rule.Logger.WarnContext(ctx, "identity checks not marked for erasure", "cause", err.Error())
	}
	for _, e := range due {
		if marked[e.ID] {
			err = s.markedByRule(ctx, e, at)
		} else {
			rule.Count(retention.Refused, 1)
			err = s.Index.LeaveUntil(ctx, e.ID, at)
		}
		if err != nil {
			return err // the next look finds what was marked
		}
	}
	return nil
}

// markedByRule tells the index, live pages and the audit trail of a mark.
func (s *Service) markedByRule(ctx context.Context, e index.EndedCheck, at time.Time) error {
	ctx = context.WithoutCancel(ctx)
	s.Retention.Count(retention.Announced, 1)
	s.done(ctx, s.Retention.Actor(ctx), markForErasure, e.ID, e.Starter)
	return s.Index.MarkedByRule(ctx, e.ID, at)
}
