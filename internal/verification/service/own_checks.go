package service

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

// OwnCheck is a completed verification that a person started of themselves.
type OwnCheck struct {
	ID        string
	Completed time.Time
	Passed    bool
	// FirstName and LastName are what the document says; "" is nothing.
	FirstName, LastName string
	// Erased says that it is marked for erasure.
	Erased bool
}

const (
	// mostListed limits the verifications of a person that are looked through, mostRead
	// those that are read from the platform.
	mostListed, mostRead = 100, 20
)

// OwnChecks yields the completed verifications that a user started of themselves, as the platform
// has them now: the newest first, but behind all others those that failed, as far as the
// index knows. It finds them in the index. The error is the platform's or an outage; a
// verification that is gone at the platform is left out.
func (s *Service) OwnChecks(ctx context.Context, user string) iter.Seq2[OwnCheck, error] {
	return func(yield func(OwnCheck, error) bool) {
		page, err := s.Index.List(ctx, access.Person{User: user}, index.Query{From: 1, To: mostListed})
		if err != nil {
			yield(OwnCheck{}, err)
			return
		}
		slices.SortStableFunc(page.Results, func(a, b index.Item) int { return cmp.Compare(failed(a), failed(b)) })
		left := mostRead
		for _, item := range page.Results {
			status := verification.Status(item.Status)
			if item.About == index.AboutOther || !status.Active() && status != verification.Completed {
				continue
			}
			if left--; left < 0 {
				return
			}
			own, ok, err := s.readOwn(ctx, user, item)
			if (ok || err != nil) && !yield(own, err) || err != nil {
				return
			}
		}
	}
}

// failed returns 1 for a verification that has failed, else 0.
func failed(item index.Item) int {
	if item.Result == verification.Failed {
		return 1
	}
	return 0
}

// readOwn reads a verification from the platform; ok is false if it is not a completed one
// that the user started of themselves.
func (s *Service) readOwn(ctx context.Context, user string, item index.Item) (own OwnCheck, ok bool, err error) {
	t, err := s.Platform.Transaction(ctx, item.ID)
	if fault.Is(err, fault.RequestNotFound) {
		return own, false, s.Index.Missing(ctx, item.ID)
	}
	if err != nil {
		return own, false, err
	}
	by, sealed := s.Index.Open(t.OpaqueID)
	if !sealed || by.User != user || !by.Self || t.Status != verification.Completed {
		return own, false, nil
	}
	report, err := s.Platform.Report(ctx, item.ID)
	if fault.Is(err, fault.RequestNotFound) { // which says nothing about the transaction
		return own, false, nil
	}
	if err != nil {
		return own, false, err
	}
	own = OwnCheck{ID: t.ID, Completed: t.CompletedAt(), Passed: report.Result == verification.Passed, Erased: item.ErasureAt != nil || t.MarkedForErasure()}
	own.FirstName, own.LastName = report.DocumentName()
	return own, true, nil
}
