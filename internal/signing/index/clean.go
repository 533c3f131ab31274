package index

import (
	"context"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/upstream"
)

// excess returns the number of packages in the index minus the number that the platform
// counts in its listings. A rise since the last full sweep means that packages were
// deleted at the platform, which no listing shows; a negative number means that packages
// are new or cannot be read. While packages come and go it errs on the low side. known is
// false if the platform refuses to list templates or layouts.
func (w *sweep) excess(ctx context.Context) (n int64, known bool, err error) {
	_, before, err := w.index.readState(ctx)
	if err != nil {
		return 0, false, err
	}
	var counted int64
	for _, q := range listings(time.Time{}) {
		n, err := w.index.platform.Count(ctx, q)
		if q.Type != "" && refused(err) {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		counted += int64(n)
	}
	_, after, err := w.index.readState(ctx)
	return min(before.size, after.size) - counted, true, err
}

// dropTombstoneScript deletes a tombstone unless the record was written since.
var dropTombstoneScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`)

// clean asks the platform for each recorded package that the sweep did not see, so that
// none is lost because the listing moved, and deletes the tombstones of before counter.
func (w *sweep) clean(ctx context.Context, counter uint64) error {
	for cursor, more := uint64(0), true; more; more = cursor != 0 {
		fields, next, err := w.index.spaces.Redis.HScan(ctx, w.space.Records(), cursor, "", chunk).Result()
		if err != nil {
			return access.Outage(ctx, "look through the packages", err)
		}
		for pair := range slices.Chunk(fields, 2) {
			if err := w.cleanOne(ctx, counter, pair[0], pair[1]); err != nil {
				return err
			}
		}
		cursor = next
	}
	return nil
}

func (w *sweep) cleanOne(ctx context.Context, counter uint64, name, value string) error {
	if _, ok := w.seen[name]; ok {
		return nil
	}
	if value <= revisionOf(counter) && len(value) == revisionDigits {
		if err := dropTombstoneScript.Run(ctx, w.index.spaces.Redis, []string{w.space.Records()}, name, value).Err(); err != nil {
			return access.Outage(ctx, "take a tombstone out", err)
		}
		return nil
	}
	r := openRecord(w.space.Sealer, name, value)
	if r == nil {
		return nil
	}
	still, err := w.refresh(ctx, r.ID)
	if still {
		w.unlisted++
	}
	return err
}

// maxMissed limits the packages whose second miss is not left to the next full sweep of the
// day.
const maxMissed = 100

// refresh refreshes one package, and reports whether the platform has it. One that cannot
// be read stays as it was.
func (w *sweep) refresh(ctx context.Context, id string) (there bool, err error) {
	c, err := w.index.refresh(ctx, id, refreshOptions{visibility: true})
	if upstream.IsUnreadable(err) {
		w.index.unread.Note(ctx, id, "", err)
		return true, nil
	}
	if err == nil && c.full == nil && c.keep {
		w.missed++
	}
	return c.full != nil, err
}

// renew starts the lives of all the lists that the sweep saw again.
func (w *sweep) renew(ctx context.Context) error {
	keys := make([]string, 0, len(w.lists))
	for key := range w.lists {
		keys = append(keys, key)
	}
	for part := range slices.Chunk(keys, 5*chunk) {
		p := w.index.spaces.Redis.Pipeline()
		for _, key := range part {
			p.Expire(ctx, key, listLife)
		}
		if _, err := p.Exec(ctx); err != nil {
			return access.Outage(ctx, "renew the lists", err)
		}
	}
	return nil
}
