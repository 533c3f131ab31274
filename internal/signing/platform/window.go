package platform

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// listing reads a window; where it cannot be read in one piece, in several. Where packages
// are known with which a window cannot be read, it is read around those. A window that takes
// the platform too long is read in pieces if it lists the ids alone in time.
//
// The response is read into memory, if that has the room.
func (c *Client) listing(ctx context.Context, q signing.Query, from, to int, memory []byte) (listing, error) {
	r := reading{client: c, query: q, memory: memory}
	if !q.IDsOnly && !c.apart.isEmpty() {
		if read, done, err := r.around(ctx, from, to); done || err != nil {
			return read, err
		}
	}
	read, err := r.window(ctx, from, to)
	broken := piece{from: from, to: to, read: read, err: err}
	switch {
	case upstream.IsUnreadable(err):
		return r.halved(ctx, broken)
	case isSlow(ctx, err) && !q.IDsOnly:
		if _, away := r.ids(ctx, from, to); away != nil {
			return read, err
		}
		return r.halved(ctx, broken)
	}
	return read, err
}

// isSlow reports whether a call took the platform too long, while there is time left for
// others.
func isSlow(ctx context.Context, err error) bool { return upstream.IsTimeout(err) && ctx.Err() == nil }

// pieceTimeout limits the time for a piece of a window: one that a long package slows down
// is soon divided further. See Client.piece.
const pieceTimeout = 3 * time.Second

// reading is the state of reading one window.
type reading struct {
	client   *Client
	query    signing.Query
	inPieces bool   // it is read in pieces
	memory   []byte // for the first response
	calls    int    // made for the pieces
	size     int    // of the packages that are kept of them, in bytes
}

// window reads a window, or a piece of one. With the error of an answer that is too long
// come the packages that had room in it. Whether the platform itself leaves the last
// package out (specification, part 4.2, does not say) shows in a window that lacks just
// that one: then it is asked for one more, from there on.
func (r *reading) window(ctx context.Context, from, to int) (listing, error) {
	size, exclusive := to-from+1, r.client.exclusive.Load()
	read, err := r.list(ctx, from, lastAsked(to, exclusive))
	if err != nil {
		return read, err
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
// window read in pieces. Four windows are under way at a time. See Client.window.
const maxWindow = 16 << 20

// MaxQuery limits the query of a request to the platform, in bytes: a gateway before it may
// break the connection of a longer one.
const MaxQuery = 4 << 10

// list makes one call; request.malformed if its query is too long.
func (r *reading) list(ctx context.Context, from, to int) (listing, error) {
	if r.inPieces {
		if r.calls == maxHalving {
			return listing{}, upstream.Unreadable(errTooMany)
		}
		r.calls++
	}
	query := r.query.Encode(from, to)
	if len(query) > MaxQuery {
		return listing{}, fault.New(fault.RequestMalformed)
	}
	call := callOf(listPackages, listPackages.At(r.client.paths).Path+"?"+query)
	call.MaxResponse, call.Unguarded = int64(r.client.window), r.inPieces
	call.Memory, r.memory = r.memory, nil
	if r.inPieces {
		call.Timeout = r.client.piece
	}
	body, err := r.client.upstream.Body(ctx, call)
	if err != nil {
		return readBeginning(body), Translate(listPackages, err)
	}
	read, err := readListing(body)
	if err != nil {
		return listing{}, upstream.Unreadable(fmt.Errorf("%s: read the response: %w", listPackages.Name, err))
	}
	read.memory = body
	return read, nil
}
