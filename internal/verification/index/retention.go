package index

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

// EndedCheck is a transaction that is over and was started through Countersign.
type EndedCheck struct {
	ID, Status, Starter string
	// At is when it ended.
	At time.Time
	// ErasureAt is the time of its erasure, for which the rule has marked it; zero if it did not.
	ErasureAt time.Time
	// Later is the time before which the rule leaves it; zero if it does not.
	Later time.Time
	// Marking is the time of erasure for which the rule was about to mark it, without having heard
	// of the mark; zero if it was not.
	Marking time.Time
}

// Ended returns the transactions that ended before a time, the earliest first, without those that
// are marked for erasure by a person, and without those of which the mark was taken back. The
// error is an outage.
func (t *Index) Ended(ctx context.Context, before time.Time) (all []EndedCheck, err error) {
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	started := &redis.ZRangeBy{Min: "-inf", Max: "(" + millis(before)} // by when they were started, which is before their end
	names, err := t.spaces.Redis.ZRangeByScore(ctx, s.List(access.List{Of: everyTransaction, Bucket: Over}), started).Result()
	if err != nil {
		return nil, access.Outage(ctx, "look for transactions that are over", err)
	}
	for some := range slices.Chunk(names, sweptTogether) {
		records, err := t.records(ctx, s, some)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if e, ok := r.ended(); ok && e.At.Before(before) {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b EndedCheck) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

func (t *record) ended() (e EndedCheck, ok bool) {
	if t.Starter == "" || t.phase() != Over || (t.Rule == ruled) != (t.ErasureAt != 0) {
		return e, false
	}
	e = EndedCheck{ID: t.ID, Status: t.Status, Starter: t.Starter, At: utc(cmp.Or(t.Ended, t.Updated))}
	if t.ErasureAt != 0 {
		e.ErasureAt = utc(t.ErasureAt)
	} else if t.Rule > 0 {
		e.Later = utc(t.Rule)
	} else if t.Rule < ruled {
		e.Marking = utc(-t.Rule)
	}
	return e, true
}

// MarkedByRule writes to the index that the rule has marked a transaction, which is erased at a
// time.
func (t *Index) MarkedByRule(ctx context.Context, id string, at time.Time) error {
	return t.rule(ctx, id, func(next *record) {
		next.ErasureAt, next.Rule, next.Updated = at.UnixMilli(), ruled, t.now().UnixMilli()
	})
}

// MarkingByRule writes that the rule is about to mark a transaction, to be erased at a time: a mark
// that is found later is the rule's.
func (t *Index) MarkingByRule(ctx context.Context, id string, at time.Time) error {
	return t.rule(ctx, id, func(next *record) { next.Rule = -at.UnixMilli() })
}

// LeaveUntil has the rule leave a transaction until a time; the zero time is for ever.
func (t *Index) LeaveUntil(ctx context.Context, id string, until time.Time) error {
	return t.rule(ctx, id, func(next *record) {
		if next.Rule = ruled; !until.IsZero() {
			next.Rule = until.UnixMilli()
		}
	})
}

// rule changes the record of a transaction, if there is one.
func (t *Index) rule(ctx context.Context, id string, edit func(next *record)) error {
	return t.change(ctx, id, func(before *record) *record {
		if before == nil {
			return nil
		}
		next := *before
		edit(&next)
		return &next
	})
}
