package signing

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
)

// window is a part of the listing as one response has it.
type window struct {
	listing
	from int
	ids  []uint64 // of results, hashed
}

// end is the place of its last package.
func (w window) end() int { return w.from + len(w.results) - 1 }

// shares reports whether a package is in both windows. Windows of one package each
// cannot overlap.
func (w window) shares(other window) bool {
	if len(other.ids) == 1 && len(w.ids) == 1 {
		return true
	}
	return slices.ContainsFunc(other.ids, func(id uint64) bool { return slices.Contains(w.ids, id) })
}

// fetched is a window under way.
type fetched struct {
	window window
	err    error
}

// ahead reads the windows from place from on, each overlapping the one before, to
// the end of the listing. The first one shows how long they are; then up to four are
// asked for at once.
func (w *walk) ahead(ctx context.Context, from, overlap int) iter.Seq2[window, error] {
	return func(yield func(window, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		first, err := w.fetch(ctx, from, maxPage)
		if !yield(first, err) || err != nil {
			return
		}
		size, count := len(first.results), first.count
		stride := max(1, size-min(overlap, size/2))
		next := from + stride
		var queue []chan fetched
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

func (w *walk) start(ctx context.Context, from, size int) chan fetched {
	done := make(chan fetched, 1)
	go func() {
		got, err := w.fetch(ctx, from, size)
		done <- fetched{got, err}
	}()
	return done
}

// fetch reads a window. A package that has no id is known by its place. The error of a
// window in which nothing has an id is platform.failed.
func (w *walk) fetch(ctx context.Context, from, size int) (window, error) {
	read, err := w.client.listing(ctx, w.query, from, from+size-1)
	got, named := window{from: from, listing: read}, false
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
