package index

import (
	"context"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

// excess is how many packages the index has that the platform's listings do not count.
// More of them than before have gone from the platform, which nothing else tells; fewer
// than none are new, or cannot be read. While packages come and go, it is rather too
// small. It is not known where the platform does not tell of all its listings.
func (w *walk) excess(ctx context.Context) (n int64, known bool, err error) {
	_, before, err := w.index.readState(ctx)
	if err != nil {
		return 0, false, err
	}
	var counted int64
	for _, l := range listings(time.Time{}) {
		n, err := w.index.platform.Count(ctx, l)
		if l.Type != "" && refused(err) {
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

// buryScript takes a tombstone out that nobody wrote over.
var buryScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`)

// clean looks through the records for those that the walk did not see: the platform is
// asked for each, so that none is lost because the listing moved. Tombstones go.
func (w *walk) clean(ctx context.Context, counter uint64) error {
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

func (w *walk) cleanOne(ctx context.Context, counter uint64, name, value string) error {
	if _, ok := w.seen[name]; ok {
		return nil
	}
	if value <= revisionOf(counter) && len(value) == revisionDigits {
		if err := buryScript.Run(ctx, w.index.spaces.Redis, []string{w.space.Records()}, name, value).Err(); err != nil {
			return access.Outage(ctx, "take a tombstone out", err)
		}
		return nil
	}
	r := openRecord(w.space.Sealer, name, value)
	if r == nil {
		return nil
	}
	still, err := w.settle(ctx, r.ID)
	if still {
		w.unlisted++
	}
	return err
}

// renew gives the lists that the walk saw their whole life again.
func (w *walk) renew(ctx context.Context) error {
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
