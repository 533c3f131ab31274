package platform

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"countersign/internal/signing"
)

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

// fetched is the outcome of fetching a window.
type fetched struct {
	window window
	err    error
}

// prefetch yields the windows from place from to the end of the listing, each overlapping
// the one before. The first window tells how long windows are; after it, up to four are
// requested at once.
func (w *walk) prefetch(ctx context.Context, from, overlap int) iter.Seq2[window, error] {
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
	done, memory := make(chan fetched, 1), w.memory()
	go func() {
		got, err := w.fetch(ctx, from, size, memory)
		done <- fetched{got, err}
	}()
	return done
}

// fetch reads a window. A package without an id is identified by its place. If no package
// of the window has an id, the error is platform.failed. The response is read into memory,
// if that has the room.
func (w *walk) fetch(ctx context.Context, from, size int, memory []byte) (window, error) {
	read, err := w.client.listing(ctx, w.query, from, from+size-1, memory)
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
