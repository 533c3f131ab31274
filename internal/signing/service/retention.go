package service

import (
	"context"
	"net/http"
	"time"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/retention"
	"countersign/internal/signing/index"
)

const (
	// updatePackage is the platform's name of the call that moves a package to the trash.
	updatePackage = "updatePackage"
	// lookEach is the time between two looks for packages that are due, for each package of the
	// index: all of it is read. lookAtMost limits it.
	lookEach, lookAtMost = 10 * time.Millisecond, time.Hour
	// forgotten is how long after the last look announcements do not count any more: no node ran,
	// or without the rule, so that people may not have read them.
	forgotten = 48 * time.Hour
	// maxAnnounced limits the packages that are announced and have not gone, maxTrashed those that
	// one sweep moves to the trash.
	maxAnnounced, maxTrashed = 1000, 50
)

// Retain announces what the rule will move to the trash, and moves there what is due.
func (s *Service) Retain(ctx context.Context) {
	s.Retention.Run(ctx, func(ctx context.Context) error {
		if err := s.announce(ctx); err != nil {
			return err
		}
		return s.trashDue(ctx)
	})
}

// RetentionPlan returns the packages that go to the trash by the rule, the earliest end first, each
// with the time. It includes those that are not announced yet.
func (s *Service) RetentionPlan(ctx context.Context) ([]index.EndedPackage, error) {
	looked, _, err := s.Index.Announced(ctx)
	if err != nil {
		return nil, err
	}
	all, _, err := s.plan(ctx, looked)
	return all, err
}

// plan returns what goes, if the rule last looked at a time, and the ids of what was not announced
// before. An announcement is kept, unless it is forgotten or the package has changed.
func (s *Service) plan(ctx context.Context, looked time.Time) (all []index.EndedPackage, fresh map[string]bool, err error) {
	rule := s.Retention
	if all, err = s.Index.Ended(ctx, rule.Ended()); err != nil {
		return nil, nil, err
	}
	stays, fresh := rule.Now().Sub(looked) < forgotten, map[string]bool{}
	for i := range all {
		e := &all[i]
		if !stays || e.TrashAt.IsZero() || e.At.Add(rule.After).After(e.TrashAt) {
			e.TrashAt, fresh[e.ID] = rule.RemovalTime(e.At).Add(time.Duration(i/maxAnnounced)*retention.Notice), true
		}
	}
	return all, fresh, nil
}

// announce announces what is due, if it is time to look.
func (s *Service) announce(ctx context.Context) error {
	rule := s.Retention
	looked, packages, err := s.Index.Announced(ctx)
	if err != nil || rule.Now().Sub(looked).Abs() < min(lookAtMost, time.Duration(packages)*lookEach) {
		return err
	}
	all, fresh, err := s.plan(ctx, looked)
	if err != nil {
		return err
	}
	later, told := max(0, len(all)-maxAnnounced), 0
	all = all[:len(all)-later]
	kept := all[:0]
	for _, e := range all {
		if fresh[e.ID] {
			if s.tell(ctx, e) != nil {
				continue // what nobody could read does not go
			}
			told++
		}
		kept = append(kept, e)
	}
	if told > 0 {
		rule.Logger.InfoContext(ctx, "package removal announced", "announced", told, "later", later)
	}
	if later > 0 {
		rule.Count(retention.Deferred, 1)
	}
	return s.Index.Announce(ctx, kept)
}

// tell writes an announcement to the audit trail.
func (s *Service) tell(ctx context.Context, e index.EndedPackage) error {
	err := s.Retention.Announce(ctx, audit.Event{
		OnBehalfOf: e.Owner, Operation: updatePackage, Subject: e.ID, Reason: e.TrashAt.UTC().Format(time.RFC3339),
	})
	if err == nil {
		s.Retention.Count(retention.Announced, 1)
	}
	return err
}

// trashDue moves to the trash what was announced for now.
func (s *Service) trashDue(ctx context.Context) error {
	due, err := s.Index.DueForTrash(ctx, maxTrashed)
	if err != nil {
		return err
	}
	for _, e := range due {
		result, err := s.trash(ctx, e)
		s.Retention.Count(result, 1)
		if result == retention.Failed {
			return err // the platform may be down: the next sweep goes on
		}
		if result == retention.Refused {
			s.Retention.Logger.WarnContext(ctx, "package not moved to the trash", "package", e.ID, "cause", err.Error())
		}
		if err := s.Index.Withdraw(ctx, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// trash moves a package to the trash if the platform has it as it was announced.
func (s *Service) trash(ctx context.Context, e index.EndedPackage) (result retention.Result, err error) {
	err = s.WithPackageLock(ctx, e.ID, func(ctx context.Context) error {
		p, err := s.Platform.Package(ctx, e.ID)
		if err != nil {
			return err
		}
		if now, ok := index.EndedOf(p); !ok || now.At.Add(s.Retention.After).After(e.TrashAt) {
			result = retention.Withdrawn
			return nil
		}
		result = retention.Done
		return s.Platform.Change(ctx, e.ID, map[string]any{"trashed": true})
	})
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return retention.Withdrawn, s.Index.Refresh(ctx, e.ID)
	case err != nil && fault.From(err).Row().Status < http.StatusInternalServerError && ctx.Err() == nil:
		return retention.Refused, err
	case err != nil:
		return retention.Failed, err
	case result == retention.Withdrawn:
		return result, s.Index.Refresh(ctx, e.ID)
	}
	s.Done(ctx, s.Retention.Actor(ctx), Change{Operation: updatePackage, Package: e.ID, Effect: Changed})
	return result, nil
}

// TrashTimes returns when packages go to the trash by the rule, by their ids; those that do not, or
// not yet, are missing.
func (s *Service) TrashTimes(ctx context.Context, ids ...string) (map[string]time.Time, error) {
	if s.Retention == nil {
		return nil, nil
	}
	return s.Index.TrashTimes(ctx, ids...)
}
