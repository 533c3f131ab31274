package index

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// parallel limits the packages that the platform is asked for at once.
const parallel = 4

// maxPart limits the bytes of packages that are listed and not yet written; the last of
// them may exceed it.
const maxPart = 4 << 20

// sweep is one sweep of the listings.
type sweep struct {
	index    *Index
	follower Follower
	space    *access.Namespace
	latest   time.Time // the latest update that it saw

	full  bool                // it is a full sweep
	seen  map[string]struct{} // the record names of packages, in a full sweep
	lists map[string]struct{} // the keys of the lists they are in

	unlisted int64 // packages that the platform has and no listing showed
	missed   int64 // packages that the platform missed and the index keeps
	unread   int64 // packages of the listings that cannot be read
}

// fullSweep reads all listings, then what was updated meanwhile, removes the packages
// that the platform no longer has, and renews the life of all lists. It returns the
// excess that remains. Tombstones of before counter are deleted.
func (w *sweep) fullSweep(ctx context.Context, counter uint64) (excess int64, err error) {
	begun := w.index.now()
	w.full, w.seen, w.lists = true, map[string]struct{}{}, map[string]struct{}{}
	for _, since := range []time.Time{{}, begun.Add(-overlap)} {
		if err := w.listings(ctx, since); err != nil {
			return 0, err
		}
	}
	if err := w.clean(ctx, counter); err != nil {
		return 0, err
	}
	if err := w.renew(ctx); err != nil {
		return 0, err
	}
	excess, _, err = w.excess(ctx)
	if w.missed > maxMissed {
		w.unlisted += w.missed
	} else {
		excess -= w.missed // so that the next sweep looks for them again
	}
	return max(-w.unread, min(excess, w.unlisted)), err // packages that went or came meanwhile do not remain
}

// sweepUpdates reads what was updated since the last sweep, and reports whether packages
// have gone from the platform since the last full sweep.
func (w *sweep) sweepUpdates(ctx context.Context, before state) (gone bool, err error) {
	if err := w.listings(ctx, since(before.watermark)); err != nil {
		return false, err
	}
	excess, known, err := w.excess(ctx)
	return known && excess > before.excess, err
}

// listings returns the listings of everything updated since then: packages, templates and
// layouts, trashed or not.
func listings(since time.Time) (all []signing.Query) {
	for _, kind := range []string{"", signing.TypeTemplate, signing.TypeLayout} {
		for _, folder := range []string{"", "trashed"} {
			all = append(all, signing.Query{Type: kind, Folder: folder, UpdatedFrom: since, Sort: "created", Ascending: true})
		}
	}
	return all
}

// listings reads what was updated since then.
func (w *sweep) listings(ctx context.Context, since time.Time) error {
	for _, q := range listings(since) {
		err := w.listing(ctx, q)
		if q.Type != "" && refused(err) {
			continue // an account without templates
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refused reports whether the platform understood a request and denied it.
func refused(err error) bool {
	return err != nil && !fault.Is(err, fault.RequestCancelled) && fault.From(err).Row().Status < http.StatusInternalServerError
}

// listing reads one listing, in parts.
func (w *sweep) listing(ctx context.Context, q signing.Query) error {
	counter, err := w.counter(ctx)
	if err != nil {
		return err
	}
	part, size := make([]jsontext.Value, 0, chunk), 0
	for value, err := range w.index.platform.Packages(ctx, q) {
		if err != nil {
			return err
		}
		if value == nil {
			w.unread++
			continue
		}
		part, size = append(part, value), size+len(value)
		if len(part) == chunk || size > maxPart {
			if err := w.update(ctx, counter, part); err != nil {
				return err
			}
			clear(part)
			part, size = part[:0], 0
		}
	}
	return w.update(ctx, counter, part)
}

// counter returns the index's write counter, or errOtherIndex if Redis now holds another
// index.
func (w *sweep) counter(ctx context.Context) (uint64, error) {
	s, now, err := w.index.readState(ctx)
	if err == nil && s.Sealed != w.space.Sealed {
		err = errOtherIndex
	}
	return now.counter, err
}

// update brings the records of the listed packages in step with the listing.
func (w *sweep) update(ctx context.Context, counter uint64, values []jsontext.Value) error {
	if len(values) == 0 {
		return nil
	}
	changes, err := w.changes(ctx, counter, values)
	if err != nil {
		return err
	}
	if err := w.askVisibilities(ctx, changes); err != nil {
		return err
	}
	return w.write(ctx, changes)
}

// changes returns the changes that the listed packages make to their records.
func (w *sweep) changes(ctx context.Context, counter uint64, values []jsontext.Value) ([]change, error) {
	var packages []platformPackage
	var names []string
	for _, value := range values {
		p, err := signing.ReadPackage(value)
		if err != nil {
			w.index.unread.Note(ctx, "", "", err)
			continue
		}
		said, err := readPackage(p)
		if err != nil {
			w.index.unread.Note(ctx, "", "", err)
			continue
		}
		w.follower.Read(ctx, p)
		packages, names = append(packages, said), append(names, recordName(w.space, p.ID))
	}
	if len(names) == 0 {
		return nil, nil
	}
	records, err := w.records(ctx, names)
	if err != nil {
		return nil, err
	}
	var changes []change
	for i, name := range names {
		v := snapshot{space: w.space, name: name, counter: counter, record: openRecord(w.space.Sealer, name, records[i])}
		c := w.index.changeTo(packages[i], v)
		if err := c.bound(); err != nil {
			return nil, err
		}
		w.remember(c)
		if v.record != nil && v.record.stale { // the visibility of its documents may be another, too
			if _, err := w.refresh(ctx, c.after.ID); err != nil {
				return nil, err
			}
			continue
		}
		if !c.keep {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// records returns the values of the named records, which the platform has just listed, or
// errOtherIndex if Redis now holds another index.
func (w *sweep) records(ctx context.Context, names []string) ([]string, error) {
	p := w.index.spaces.Redis.Pipeline()
	slot, values := p.Get(ctx, w.space.Slot), p.HMGet(ctx, w.space.Records(), names...)
	missing := p.ZCard(ctx, w.space.Missing())
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, access.Outage(ctx, "read packages", err)
	}
	if slot.Val() != w.space.Sealed {
		return nil, errOtherIndex
	}
	if missing.Val() > 0 {
		if err := w.index.spaces.RecordFound(ctx, w.space, w.index.now(), names...); err != nil {
			return nil, err
		}
	}
	return access.Texts(values.Val()), nil
}

// remember notes the package's update, record and lists.
func (w *sweep) remember(c change) {
	if updated, err := time.Parse(time.RFC3339, c.after.Updated); err == nil && updated.After(w.latest) {
		w.latest = updated
	}
	if !w.full {
		return
	}
	w.seen[c.name] = struct{}{}
	for _, l := range c.after.lists() {
		w.lists[w.space.List(l)] = struct{}{}
	}
}

// askVisibilities asks for the visibility of documents of each package where it is
// unknown. A package that is gone meanwhile is left to write.
func (w *sweep) askVisibilities(ctx context.Context, changes []change) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range changes {
		if changes[i].after.visibilityKnown() {
			continue
		}
		g.Go(func() error {
			c := &changes[i]
			err := w.index.askVisibility(ctx, c.after)
			switch {
			case upstream.IsUnreadable(err): // all documents are hidden until it is known
				w.index.unread.Note(ctx, c.after.ID, c.after.Updated, err)
			case err != nil && !refused(err):
				return err
			}
			return c.bound()
		})
	}
	return g.Wait()
}

// write carries out the changes; a package that somebody else wrote meanwhile is
// refreshed.
func (w *sweep) write(ctx context.Context, changes []change) error {
	p := w.index.spaces.Redis.Pipeline()
	replies := make([]*redis.Cmd, len(changes))
	for i, c := range changes {
		var err error
		if replies[i], err = w.index.send(ctx, p, w.space, c); err != nil {
			return err
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "write packages", err)
	}
	for i, reply := range replies {
		if done, _ := reply.Bool(); done {
			continue
		}
		if _, err := w.refresh(ctx, changes[i].after.ID); err != nil {
			return err
		}
	}
	return nil
}
