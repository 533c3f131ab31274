package signing

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

const (
	// parallel is how many windows are asked for at once.
	parallel = 4
	// maxWalks is how often the listing is walked until count is reached, and
	// maxSteps how often one walk steps back.
	maxWalks = 4
	maxSteps = 64
)

// Windows is every package that matches q, each id once, in the order of the
// listing, until as many as the platform counts have been given. It is read by
// windows of 100, at most four at a time; no more than these are held in memory,
// and eight bytes of each id.
//
// Packages come and go while the listing is walked, and those behind them change
// their places. So two neighbouring windows share a package: where they do not, the
// walk steps back until they do. What came meanwhile before the place of the walk is
// found by another walk. A package that is there the whole time is never missed.
//
// A package that the listing does not give is asked for by its id. A nil value stands for
// one that cannot be read in that way either.
//
// An error is the last pair. platform.failed is also a count that is not reached.
func (c *Client) Windows(ctx context.Context, q Query) iter.Seq2[jsontext.Value, error] {
	return c.walk(ctx, walk{query: q, byID: true}, func(one listed) (jsontext.Value, error) { return one.value, nil })
}

// PublicWindows are Windows of packages without data.countersign, as Public makes them.
// What cannot be listed is left out.
func (c *Client) PublicWindows(ctx context.Context, q Query) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for value, err := range c.walk(ctx, walk{query: q}, listed.public) {
			if (value != nil || err != nil) && !yield(value, err) {
				return
			}
		}
	}
}

func (c *Client) walk(ctx context.Context, w walk, shown func(listed) (jsontext.Value, error)) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		w.client, w.given, w.seed, w.left = c, map[uint64]struct{}{}, maphash.MakeSeed(), false
		w.yield = func(one listed) bool {
			if one.value == nil {
				return yield(nil, nil)
			}
			return yield(shown(one))
		}
		if err := w.all(ctx); err != nil && !w.left {
			yield(nil, err)
		}
	}
}

// walk is one reading of the listing.
type walk struct {
	client *Client
	query  Query
	seed   maphash.Seed
	given  map[uint64]struct{} // of the packages that were given, by hash of id
	yield  func(listed) bool
	left   bool // whoever reads has had enough
	byID   bool // what cannot be read in the listing is asked for by its id
}

// all walks until count is reached.
func (w *walk) all(ctx context.Context) error {
	for range maxWalks {
		if reached, err := w.once(ctx); reached || err != nil || w.left {
			return err
		}
	}
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the count is not reached by %d packages", listPackages.Name, len(w.given)))
}

// once walks from the first package to the last one, and reports whether as many
// as the platform counts were given by then. A further walk ends as soon as they
// are.
func (w *walk) once(ctx context.Context) (reached bool, err error) {
	further, from, overlap := len(w.given) > 0, 1, 1
	var last window
	for range maxSteps {
		joined := true
		for next, err := range w.ahead(ctx, from, overlap) {
			if err != nil {
				return false, err
			}
			if joined = next.from == 1 || next.shares(last); !joined {
				break
			}
			last = next
			if given, err := w.give(ctx, next); !given || err != nil {
				return false, err
			}
			if further && len(w.given) >= next.count {
				return true, nil
			}
		}
		if joined {
			return len(w.given) >= last.count, nil
		}
		overlap *= 2
		from = max(1, last.end()+1-overlap)
	}
	return false, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the listing does not keep its order", listPackages.Name))
}

// give hands over the packages of next that were not given yet; it is false when
// whoever reads has had enough.
func (w *walk) give(ctx context.Context, next window) (bool, error) {
	w.client.noteUnread(ctx, w.query, next.from, next.results)
	for i, id := range next.ids {
		if _, given := w.given[id]; given {
			continue
		}
		w.given[id] = struct{}{}
		one, err := w.read(ctx, next.results[i])
		if err != nil {
			return false, err
		}
		if !w.yield(one) {
			w.left = true
			return false, nil
		}
	}
	return true, nil
}

// read is a package as it is given: one that its window did not give is read by its id.
// What has no id has no value.
func (w *walk) read(ctx context.Context, one listed) (listed, error) {
	switch {
	case one.id == nil:
		return listed{}, nil
	case one.value == nil && w.byID:
		return w.client.byID(ctx, one.id)
	case one.late:
		return w.client.late(ctx, one)
	}
	return one, nil
}
