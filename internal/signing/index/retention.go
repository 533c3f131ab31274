package index

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/signing"
)

// EndedPackage is a package that is over, not in the trash, and was made through Countersign.
type EndedPackage struct {
	ID, Status, Owner string
	// At is when the platform last updated the package, which is its end or later.
	At time.Time
	// TrashAt is when it goes to the trash, as was announced; zero if it was not.
	TrashAt time.Time
}

// trashing is the key of the announcements: packages by the time, in milliseconds, at which they
// go to the trash.
func trashing(s *access.Namespace) string { return s.Prefix + "trashing" }

// Ended returns the packages that ended before a time, the earliest first. It reads the whole
// index, and leaves out what was just changed. The error is signing.index-building before the first full sweep has ended, else an
// outage.
func (x *Index) Ended(ctx context.Context, before time.Time) (all []EndedPackage, err error) {
	s, now, err := x.readState(ctx)
	if err == nil && now.built.IsZero() {
		err = fault.New(fault.SigningIndexBuilding).After(buildingRetry)
	}
	if err != nil {
		return nil, err
	}
	announced, err := x.announced(ctx, s)
	for cursor, more := uint64(0), err == nil; more; more = cursor != 0 {
		var fields []string
		if fields, cursor, err = x.spaces.Redis.HScan(ctx, s.Records(), cursor, "", chunk).Result(); err != nil {
			return nil, access.Outage(ctx, "look for packages that are over", err)
		}
		for pair := range slices.Chunk(fields, 2) {
			r := openRecord(s.Sealer, pair[0], pair[1])
			if e, ok := r.ended(); ok && !r.stale && e.At.Before(before) {
				e.TrashAt = announced[r.name]
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b EndedPackage) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return slices.CompactFunc(all, func(a, b EndedPackage) bool { return a.ID == b.ID }), err // a scan may yield a record twice
}

// ended returns the record of a package that is over; ok is false for any other, for one whose
// time is not known, and for one that was not made through Countersign.
func (r *record) ended() (e EndedPackage, ok bool) {
	if r == nil {
		return e, false
	}
	return r.policy.ended()
}

// EndedOf is what Ended tells of a package of the platform; ok is false for one that Ended leaves
// out.
func EndedOf(p signing.Package) (e EndedPackage, ok bool) {
	read := policyOf(p)
	return read.ended()
}

func (p *policy) ended() (e EndedPackage, ok bool) {
	if p.Type != signing.TypePackage || p.Trashed || !p.over() || p.Owner == "" {
		return e, false
	}
	at, err := time.Parse(time.RFC3339, p.Updated)
	return EndedPackage{ID: p.ID, Status: p.Status, Owner: p.Owner, At: at}, err == nil
}

// announced returns when each package goes to the trash, by the names of the records.
func (x *Index) announced(ctx context.Context, s *access.Namespace) (map[string]time.Time, error) {
	found, err := x.spaces.Redis.ZRangeWithScores(ctx, trashing(s), 0, -1).Result()
	if err != nil {
		return nil, access.Outage(ctx, "read what goes to the trash", err)
	}
	all := make(map[string]time.Time, len(found))
	for _, one := range found {
		name, _ := one.Member.(string)
		all[name] = time.UnixMilli(int64(one.Score)).UTC()
	}
	return all, nil
}

// Announce replaces what was announced before: each package goes to the trash at its TrashAt. It
// remembers for Announced that this was done now.
func (x *Index) Announce(ctx context.Context, all []EndedPackage) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	p := x.spaces.Redis.TxPipeline()
	p.Del(ctx, trashing(s))
	for part := range slices.Chunk(all, chunk) {
		members := make([]redis.Z, len(part))
		for i, e := range part {
			members[i] = redis.Z{Score: float64(e.TrashAt.UnixMilli()), Member: recordName(s, e.ID)}
		}
		p.ZAdd(ctx, trashing(s), members...)
	}
	p.Expire(ctx, trashing(s), life)
	p.HSet(ctx, s.State(), "announced", x.now().UnixMilli())
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "announce what goes to the trash", err)
	}
	return nil
}

// Announced returns when Announce was last called, the zero time for never, and how many packages
// the index has. The error is an outage.
func (x *Index) Announced(ctx context.Context) (at time.Time, packages int, err error) {
	s, now, err := x.readState(ctx)
	if err != nil {
		return at, 0, err
	}
	milliseconds, err := x.spaces.Redis.HGet(ctx, s.State(), "announced").Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		return at, 0, access.Outage(ctx, "find the last announcement", err)
	}
	return millisTime(milliseconds), int(now.size), nil
}

// DueForTrash returns up to most of the packages whose announced time has come, the earliest
// first. An announcement of a package that is no longer over is dropped. The error is an outage.
func (x *Index) DueForTrash(ctx context.Context, most int) (due []EndedPackage, err error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	now := strconv.FormatInt(x.now().UnixMilli(), 10)
	found, err := x.spaces.Redis.ZRangeByScoreWithScores(ctx, trashing(s), &redis.ZRangeBy{Min: "-inf", Max: now, Count: int64(most)}).Result()
	if err != nil {
		return nil, access.Outage(ctx, "find what goes to the trash", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	names := make([]string, len(found))
	for i, one := range found {
		names[i], _ = one.Member.(string)
	}
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		e, ok := openRecord(s.Sealer, name, values[i]).ended()
		if !ok {
			err = errors.Join(err, x.dropTrashing(ctx, s, name))
			continue
		}
		e.TrashAt = time.UnixMilli(int64(found[i].Score)).UTC()
		due = append(due, e)
	}
	return due, err
}

// Withdraw drops the announcement of a package; the error is an outage.
func (x *Index) Withdraw(ctx context.Context, id string) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	return x.dropTrashing(ctx, s, recordName(s, id))
}

func (x *Index) dropTrashing(ctx context.Context, s *access.Namespace, name string) error {
	if err := x.spaces.Redis.ZRem(ctx, trashing(s), name).Err(); err != nil {
		return access.Outage(ctx, "withdraw an announcement", err)
	}
	return nil
}

// TrashTimes returns when packages go to the trash, as was announced; those of which nothing was
// announced are missing. The error is an outage.
func (x *Index) TrashTimes(ctx context.Context, ids ...string) (map[string]time.Time, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	p := x.spaces.Redis.Pipeline()
	for _, id := range ids {
		p.ZScore(ctx, trashing(s), recordName(s, id))
	}
	replies, err := p.Exec(ctx)
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, access.Outage(ctx, "ask what goes to the trash", err)
	}
	all := map[string]time.Time{}
	for i, reply := range replies {
		if score, ok := reply.(*redis.FloatCmd); ok && score.Err() == nil {
			all[ids[i]] = time.UnixMilli(int64(score.Val())).UTC()
		}
	}
	return all, nil
}
