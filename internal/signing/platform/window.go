package platform

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// window reads a window; where it cannot be read in one piece, in several.
//
// The response is read into memory, if that has the room.
func (l Lister) window(ctx context.Context, from, to int, memory []byte) (listing, error) {
	r := windowReader{Lister: l, memory: memory}
	read, err := r.window(ctx, from, to)
	if isLost(ctx, err) {
		return r.bisected(ctx, from, to, err)
	}
	return read, err
}

// isSlow reports whether a call took the platform too long, while there is time left for
// others.
func isSlow(ctx context.Context, err error) bool { return upstream.IsTimeout(err) && ctx.Err() == nil }

// pieceTimeout limits the time for a piece of a window: one that a long package slows down
// is soon divided further. See Client.piece.
const pieceTimeout = 3 * time.Second

// windowReader is the state of reading one window.
type windowReader struct {
	Lister
	inPieces bool   // it is read in pieces, outside the circuit breaker
	memory   []byte // for the first response
	calls    int
	size     int // of the pieces that are kept, in bytes
}

// window reads a window, or a piece of one. Whether the platform itself leaves the last
// package out (specification, part 4.2, does not say) shows in a window that lacks just
// that one: then it is asked for one more, from there on.
func (r *windowReader) window(ctx context.Context, from, to int) (listing, error) {
	size, exclusive := to-from+1, r.client.exclusive.Load()
	read, err := r.list(ctx, from, lastAsked(to, exclusive))
	if err != nil {
		return listing{}, err
	}
	switch got := len(read.results); {
	case got > size:
		r.client.exclusive.Store(false)
		read.results = read.results[:size]
	case !exclusive && got == size-1 && read.count >= to:
		longer, err := r.list(ctx, from, lastAsked(to, true))
		if err != nil {
			return listing{}, err
		}
		if len(longer.results) == size {
			r.client.exclusive.Store(true)
			return longer, nil
		}
	}
	return read, nil
}

func lastAsked(to int, exclusive bool) int {
	if exclusive {
		return to + 1
	}
	return to
}

// maxWindow limits the bytes that are read of a window, and the bytes that are kept of a
// window read in pieces. Four windows are under way at a time. See Client.maxWindow.
const maxWindow = 16 << 20

// MaxQuery limits the query of a request to the platform, in bytes: a gateway before it may
// break the connection of a longer one.
const MaxQuery = 4 << 10

// list makes one call; request.malformed if its query is too long.
func (r *windowReader) list(ctx context.Context, from, to int) (listing, error) {
	if r.calls == maxCalls {
		return listing{}, upstream.Unreadable(errTooMany)
	}
	r.calls++
	query := r.query.Encode(from, to)
	if len(query) > MaxQuery {
		return listing{}, fault.New(fault.RequestMalformed)
	}
	call := callOf(listPackages, listPackages.At(r.client.paths).Path+"?"+query)
	call.MaxResponse, call.Unguarded = int64(r.client.maxWindow), r.inPieces
	call.Memory, r.memory = r.memory, nil
	if r.inPieces {
		call.Timeout = r.client.piece
	}
	body, err := r.client.upstream.Body(ctx, call)
	if err != nil {
		return listing{}, Translate(listPackages, err)
	}
	read, err := readListing(body)
	if err != nil {
		return listing{}, upstream.Unreadable(fmt.Errorf("%s: read the response: %w", listPackages.Name, err))
	}
	read.memory = body
	return read, nil
}
