package platform

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

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

// listPass is one reading of the whole listing.
type listPass struct {
	Lister
	seed    maphash.Seed
	given   map[uint64]struct{} // hashed ids of the packages that were yielded
	yield   func(listItem) bool
	stopped bool // the reader wants no more

	inTurn bool     // windows are read into the memory of those that were yielded
	free   [][]byte // the memory of these
}

func newListPass(l Lister, yield func(listItem) bool) *listPass {
	return &listPass{Lister: l, seed: maphash.MakeSeed(), given: map[uint64]struct{}{}, yield: yield}
}

// memory returns memory for a window; nil for new one.
func (w *listPass) memory() (m []byte) {
	if n := len(w.free); n > 0 {
		m, w.free = w.free[n-1], w.free[:n-1]
	}
	return m
}

// run makes passes over the listing until count is reached.
func (w *listPass) run(ctx context.Context) error {
	for range maxWalks {
		if reached, err := w.pass(ctx); reached || err != nil || w.stopped {
			return err
		}
	}
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the count is not reached by %d packages", listPackages.Name, len(w.given)))
}

// pass reads the listing from the first package to the last, and reports whether as many
// as the platform counts have been yielded. A further pass ends as soon as they have.
func (w *listPass) pass(ctx context.Context) (reached bool, err error) {
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
func (w *listPass) yieldWindow(ctx context.Context, next window) (bool, error) {
	w.noteUnread(ctx, next.from, next.results)
	for i, id := range next.ids {
		if _, given := w.given[id]; given {
			continue
		}
		w.given[id] = struct{}{}
		one := listItem{}
		if next.results[i].id != nil { // else nobody could open it
			var err error
			if one, err = w.read(ctx, next.results[i]); err != nil {
				return false, err
			}
		}
		if !w.yield(one) {
			w.stopped = true
			return false, nil
		}
	}
	return true, nil
}

// window is a part of the listing, as one response gave it.
type window struct {
	listing
	from int
	ids  []uint64 // the hashed ids of results
}

// end returns the place of its last package.
func (w window) end() int { return w.from + len(w.results) - 1 }

// shares reports whether the windows have a package in common. Two windows of one package
// each count as sharing, since they cannot overlap.
func (w window) shares(other window) bool {
	if len(other.ids) == 1 && len(w.ids) == 1 {
		return true
	}
	return slices.ContainsFunc(other.ids, func(id uint64) bool { return slices.Contains(w.ids, id) })
}

// fetchResult is the outcome of fetching a window.
type fetchResult struct {
	window window
	err    error
}

// prefetch yields the windows from place from to the end of the listing, each overlapping
// the one before. The first window tells how long windows are; after it, up to four are
// requested at once.
func (w *listPass) prefetch(ctx context.Context, from, overlap int) iter.Seq2[window, error] {
	return func(yield func(window, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		first, err := w.fetch(ctx, from, signing.MaxPage, w.memory())
		if !yield(first, err) || err != nil {
			return
		}
		size, count := len(first.results), first.count
		stride := max(1, size-min(overlap, size/2))
		next := from + stride
		var queue []chan fetchResult
		for end := first.end(); end < count && size > 0; {
			for len(queue) < parallel && (len(queue) == 0 || next <= count) {
				queue = append(queue, w.start(ctx, next, size))
				next += stride
			}
			got := <-queue[0]
			queue = queue[1:]
			if !yield(got.window, got.err) || got.err != nil {
				return
			}
			end, count = got.window.end(), got.window.count
		}
	}
}

func (w *listPass) start(ctx context.Context, from, size int) chan fetchResult {
	done, memory := make(chan fetchResult, 1), w.memory()
	go func() {
		got, err := w.fetch(ctx, from, size, memory)
		done <- fetchResult{got, err}
	}()
	return done
}

// fetch reads a window. A package without an id is identified by its place. If no package
// of the window has an id, the error is platform.failed. The response is read into memory,
// if that has the room.
func (w *listPass) fetch(ctx context.Context, from, size int, memory []byte) (window, error) {
	read, err := w.window(ctx, from, from+size-1, memory)
	got, named := window{from: from, listing: read, ids: make([]uint64, 0, len(read.results))}, false
	for i, one := range read.results {
		if one.id != nil {
			named = true
			got.ids = append(got.ids, maphash.Bytes(w.seed, one.id))
			continue
		}
		got.ids = append(got.ids, maphash.String(w.seed, fmt.Sprint("\x00", from+i)))
	}
	if err == nil && len(read.results) > 0 && !named {
		err = nothingRead()
	}
	return got, err
}
