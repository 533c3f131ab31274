package platform

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"countersign/internal/upstream"
)

// maxCalls limits the calls for one window, its own included. Of these, two are kept for the ids,
// which may have to be asked for twice like any piece: see reading.window.
const maxCalls = 16

// errTooMany is the error of a piece for which no calls are left.
var errTooMany = errors.New("too much of the window cannot be read")

// subrange is a part of a window.
type subrange struct{ from, to int }

// halves returns the halves of a piece; none for a single package.
func (p subrange) halves() []subrange {
	if p.from >= p.to {
		return nil
	}
	middle := p.from + (p.to-p.from+1)/2
	return []subrange{{p.from, middle - 1}, {middle, p.to}}
}

// bisected reads a window that cannot be read in one piece, of which cause says why: its
// halves, and the halves of those that cannot be read, the widest first. Then the ids of the
// window tell which packages are still unread, and have no value; where the platform does
// not tell the ids alone, these have none either. Where a window took too long, the platform
// has to answer another call, the ids or a half.
func (r *windowReader) bisected(ctx context.Context, from, to int, cause error) (listing, error) {
	r.inPieces = true
	ids, answers := listing{count: -1}, !isSlow(ctx, cause)
	if !answers {
		var err error
		if ids, err = r.ids(ctx, from, to); err != nil && !isLost(ctx, err) {
			return listing{}, err
		}
		answers = !isSlow(ctx, err)
	}
	found := newPlaces(from, to, cause)
	queue := subrange{from, to}.halves()
	for asked := 1; len(queue) > 0 && r.calls+2+2 <= maxCalls; asked++ {
		p := queue[0]
		read, err := r.window(ctx, p.from, p.to)
		switch {
		case err == nil:
			found.put(p, read, r.fits(read))
		case isLost(ctx, err):
			queue = append(queue, p.halves()...)
		default:
			return listing{}, err
		}
		if answers = answers || !isSlow(ctx, err); !answers && asked == 2 {
			return listing{}, cause
		}
		queue = queue[1:]
	}
	if ids.count < 0 && found.isUnread() {
		var err error
		if ids, err = r.ids(ctx, from, to); err != nil && !isLost(ctx, err) {
			return listing{}, err
		}
	}
	switch {
	case ids.count >= 0:
		return found.named(ids), nil
	case found.count < 0:
		return listing{}, cause
	}
	return found.cut(), nil
}

// isLost reports whether a piece cannot be read, though others may.
func isLost(ctx context.Context, err error) bool {
	return upstream.IsUnreadable(err) || isSlow(ctx, err)
}

// ids lists the ids of a window alone, which may work where listing the packages does not;
// with an error, the count is -1.
func (r *windowReader) ids(ctx context.Context, from, to int) (listing, error) {
	if r.query.IDsOnly {
		return listing{count: -1}, upstream.Unreadable(errTooMany)
	}
	r.query.IDsOnly = true
	defer func() { r.query.IDsOnly = false }()
	read, err := r.window(ctx, from, to)
	if err != nil {
		read.count = -1
	}
	return read, err
}

// fits reports whether the packages of a piece have room in memory beside those of the
// others. Otherwise they are read by their ids when their turn comes.
func (r *windowReader) fits(read listing) bool {
	if r.size+len(read.memory) > r.client.maxWindow {
		return false
	}
	r.size += len(read.memory)
	return true
}

// places is a window by the places of its packages.
type places struct {
	from, count int
	results     []listItem
	end         int // how many of them there are; fewer where the platform lists fewer at once
}

func newPlaces(from, to int, cause error) places {
	p := places{from: from, count: -1, results: make([]listItem, to-from+1), end: to - from + 1}
	for i := range p.results {
		p.results[i].cause = cause
	}
	return p
}

// isUnread reports whether a package of the window was not read.
func (p *places) isUnread() bool {
	return p.count < 0 || slices.ContainsFunc(p.cut().results, func(one listItem) bool { return one.value == nil && one.id == nil })
}

// put puts the packages of a piece into their places, without their values where those do
// not fit.
func (p *places) put(at subrange, read listing, fits bool) {
	p.count = read.count
	first := at.from - p.from
	for i, one := range read.results {
		if !fits {
			one = listItem{id: bytes.Clone(one.id), cause: errTooMany}
		}
		p.results[first+i] = one
	}
	if last := min(at.to, read.count); at.from+len(read.results) <= last {
		p.end = min(p.end, first+len(read.results))
	}
}

// cut returns the window up to the last package that there is.
func (p *places) cut() listing {
	return listing{count: p.count, results: p.results[:max(0, min(p.end, p.count-p.from+1))]}
}

// named returns the window of these ids, with the values of the packages that were found.
func (p *places) named(ids listing) listing {
	found := make(map[string]listItem, len(p.results))
	for _, one := range p.results {
		if one.id != nil {
			found[string(one.id)] = one
		}
	}
	for i, one := range ids.results {
		value, is := found[string(one.id)]
		if !is {
			value = listItem{id: one.id, cause: one.cause}
		}
		ids.results[i] = value
	}
	return listing{count: ids.count, results: ids.results}
}
