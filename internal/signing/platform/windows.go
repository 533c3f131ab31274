package platform

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

const (
	// parallel limits the windows that are requested at once.
	parallel = 4
	// maxWalks limits the passes over the listing until count is reached, maxSteps how
	// often one pass steps back.
	maxWalks = 4
	maxSteps = 64
)

// Windows yields every package that matches q, each id once, in the order of the listing,
// until as many as the platform counts have been yielded. It reads windows of 100, at
// most four at a time, and holds no more than these in memory, and eight bytes for each
// id.
//
// Packages come and go while the listing is read, and those after them change their
// places. So two neighbouring windows share a package: if they do not, the pass steps
// back until they do. Packages that came meanwhile before the current place are found by
// another pass. A package that is there the whole time is never missed.
//
// A package that the listing does not give is requested by its id. A nil value stands for
// one that cannot be read in that way either.
//
// An error is the last pair; if the count is not reached, it is platform.failed.
func (c *Client) Windows(ctx context.Context, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return c.walk(ctx, walk{query: q, byID: true}, func(one listed) (jsontext.Value, error) { return one.value, nil })
}

// Changes is Windows without the packages that have to be read by their ids alone and were
// not updated since known says that they were: not every walk reads what is long. With a
// nil known it is Windows.
func (c *Client) Changes(ctx context.Context, q signing.Query, known Known) iter.Seq2[jsontext.Value, error] {
	return c.walk(ctx, walk{query: q, byID: true, known: known}, func(one listed) (jsontext.Value, error) { return one.value, nil })
}

// PublicWindows is Windows without data.countersign, like Public. Packages that cannot be
// listed are left out. A package is valid until the next one is asked for: the windows are
// read into the same memory in turn.
func (c *Client) PublicWindows(ctx context.Context, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for value, err := range c.walk(ctx, walk{query: q, inTurn: true}, listed.public) {
			if (value != nil || err != nil) && !yield(value, err) {
				return
			}
		}
	}
}

func (c *Client) walk(ctx context.Context, w walk, shown func(listed) (jsontext.Value, error)) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		w.client, w.given, w.seed, w.stopped = c, map[uint64]struct{}{}, maphash.MakeSeed(), false
		w.yield = func(one listed) bool {
			if one.value == nil {
				return yield(nil, nil)
			}
			return yield(shown(one))
		}
		if err := w.run(ctx); err != nil && !w.stopped {
			yield(nil, err)
		}
	}
}

// walk is one reading of the listing.
type walk struct {
	client  *Client
	query   signing.Query
	seed    maphash.Seed
	given   map[uint64]struct{} // hashed ids of the packages that were yielded
	yield   func(listed) bool
	stopped bool // the reader wants no more
	byID    bool // request by its id what the listing cannot give
	known   Known

	inTurn bool     // windows are read into the memory of those that were yielded
	free   [][]byte // the memory of these
}

// memory returns memory for a window; nil for new one.
func (w *walk) memory() (m []byte) {
	if n := len(w.free); n > 0 {
		m, w.free = w.free[n-1], w.free[:n-1]
	}
	return m
}

// run makes passes over the listing until count is reached.
func (w *walk) run(ctx context.Context) error {
	for range maxWalks {
		if reached, err := w.pass(ctx); reached || err != nil || w.stopped {
			return err
		}
	}
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the count is not reached by %d packages", listPackages.Name, len(w.given)))
}

// pass reads the listing from the first package to the last, and reports whether as many
// as the platform counts have been yielded. A further pass ends as soon as they have.
func (w *walk) pass(ctx context.Context) (reached bool, err error) {
	further, from, overlap := len(w.given) > 0, 1, 1
	var last window
	for range maxSteps {
		joined := true
		for next, err := range w.prefetch(ctx, from, overlap) {
			if err != nil {
				return false, err
			}
			if joined = next.from == 1 || next.shares(last); !joined {
				break
			}
			last = next
			if given, err := w.yieldWindow(ctx, next); !given || err != nil {
				return false, err
			}
			if w.inTurn && next.memory != nil {
				w.free = append(w.free, next.memory)
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

// yieldWindow yields the packages of next that were not yielded yet; it returns false
// when the reader wants no more.
func (w *walk) yieldWindow(ctx context.Context, next window) (bool, error) {
	w.client.noteUnread(ctx, w.query, next.from, next.results)
	for i, id := range next.ids {
		if _, given := w.given[id]; given {
			continue
		}
		w.given[id] = struct{}{}
		unchanged, err := w.isUnchanged(ctx, next.results[i])
		if err != nil {
			return false, err
		}
		if unchanged {
			continue
		}
		one, err := w.read(ctx, next.results[i])
		if err != nil {
			return false, err
		}
		if !w.yield(one) {
			w.stopped = true
			return false, nil
		}
	}
	return true, nil
}

// read returns the package to yield: one that its window did not give is read by its id.
// A package without an id has no value.
func (w *walk) read(ctx context.Context, one listed) (listed, error) {
	switch {
	case one.id == nil:
		return listed{}, nil
	case one.value == nil && w.byID:
		return w.client.byID(ctx, one.id)
	case one.deferred:
		return w.client.readDeferred(ctx, one)
	}
	return one, nil
}
