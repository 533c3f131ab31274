package service

import (
	"context"
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

// Retain marks what is due by the rule, so that the platform erases it a day later.
func (s *Service) Retain(ctx context.Context) { s.Retention.Run(ctx, s.retain) }

// RetentionPlan returns the transactions that are erased by the rule, the earliest end first, each
// with the time of its erasure. It includes those that are not marked yet.
func (s *Service) RetentionPlan(ctx context.Context) ([]index.Ended, error) {
	rule := s.Retention
	all, err := s.Index.Ended(ctx, rule.Ended())
	for i := range all {
		e := &all[i]
		if !e.ErasureAt.IsZero() {
			continue
		}
		e.ErasureAt = rule.Goes(e.At)
		if !e.Later.IsZero() && e.Later.Add(retention.Notice).After(e.ErasureAt) {
			e.ErasureAt = e.Later.Add(retention.Notice)
		}
	}
	return all, err
}

// retain marks what is due.
func (s *Service) retain(ctx context.Context) error {
	rule, now := s.Retention, s.Now()
	all, err := s.Index.Ended(ctx, rule.Ended())
	if err != nil {
		return err
	}
	startedBy, due := map[string]string{}, []string{}
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
			due, startedBy[e.ID] = append(due, e.ID), e.Starter
		}
	}
	if len(due) == 0 {
		return nil
	}
	return s.markByRule(ctx, due, startedBy)
}

// isDue asks the platform whether a transaction is as the index has it, and so due.
func (s *Service) isDue(ctx context.Context, e index.Ended) (bool, error) {
	t, err := s.Platform.Transaction(ctx, e.ID)
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return false, s.Index.Missing(ctx, e.ID)
	case err != nil:
		return false, err
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
func (s *Service) markByRule(ctx context.Context, due []string, startedBy map[string]string) error {
	rule := s.Retention
	at := s.Now().Add(retention.Notice)
	marked, err := s.Platform.Mark(ctx, verification.Erasure{Days: noticeDays, IDs: due})
	if err != nil && fault.From(err).Row().Status >= http.StatusInternalServerError {
		rule.Count(retention.Failed, len(due))
		return err
	}
	if err != nil {
		rule.Logger.WarnContext(ctx, "the platform does not mark verifications for erasure", "cause", err.Error())
	}
	ctx = context.WithoutCancel(ctx)
	who := rule.Actor(ctx)
	for _, id := range due {
		if !marked[id] {
			rule.Count(retention.Refused, 1)
			if err := s.Index.LeaveUntil(ctx, id, at); err != nil {
				return err
			}
			continue
		}
		rule.Count(retention.Announced, 1)
		s.done(ctx, who, markForErasure, id, startedBy[id])
		if err := s.Index.MarkedByRule(ctx, id, at); err != nil {
			return err
		}
	}
	return nil
}
