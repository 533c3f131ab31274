package signing

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"countersign/internal/upstream"
)

// maxHalving is how many calls are made for a window that cannot be read in one piece:
// seven halvings find one package among a hundred, and one call tells their ids.
const maxHalving = 16

// errTooMany is a piece of a window for which no calls are left.
var errTooMany = errors.New("too much of the window cannot be read")

// piece is a part of a window, and what was read of it.
type piece struct {
	from, to int
	read     listing
	err      error // why nothing was
}

// size is how many packages the piece may have.
func (p piece) size() int { return p.to - p.from + 1 }

// open reports whether halves of the piece may be read.
func (p piece) open() bool { return p.err != nil && p.size() > 1 }

// halved reads a window of which broken says why it could not be read: it is halved, and
// so are the halves that cannot be read, the widest first, down to single packages. What
// stays unread has its id, where the platform tells the ids alone, and no value.
func (r *reading) halved(ctx context.Context, broken piece) (listing, error) {
	r.halves = true
	pieces := []piece{broken}
	for r.calls+2 < maxHalving {
		widest := slices.MaxFunc(pieces, func(a, b piece) int { return unread(a) - unread(b) })
		if !widest.open() {
			break
		}
		middle := widest.from + widest.size()/2
		halves := []piece{{from: widest.from, to: middle - 1}, {from: middle, to: widest.to}}
		for i := range halves {
			h := &halves[i]
			if h.read, h.err = r.window(ctx, h.from, h.to); h.err != nil && !upstream.IsUnreadable(h.err) {
				return listing{}, h.err
			}
		}
		at := slices.IndexFunc(pieces, func(p piece) bool { return p.from == widest.from })
		pieces = slices.Replace(pieces, at, at+1, halves...)
	}
	ids, err := r.ids(ctx, broken.from, broken.to)
	if err != nil {
		return listing{}, err
	}
	whole := joined(pieces, ids.count)
	if whole.count < 0 {
		return listing{}, broken.err
	}
	whole.name(ids.results)
	return whole, nil
}

// unread is how many packages of the piece may still be found by halving it.
func unread(p piece) int {
	if p.open() {
		return p.size()
	}
	return 0
}

// ids lists the ids of a window alone, which the platform may manage where it cannot
// list the packages; the count is -1 where it does not manage that either.
func (r *reading) ids(ctx context.Context, from, to int) (listing, error) {
	if r.query.IDsOnly {
		return listing{count: -1}, nil
	}
	alone := *r
	alone.query.IDsOnly = true
	read, err := alone.window(ctx, from, to)
	if upstream.IsUnreadable(err) {
		return listing{count: -1}, nil
	}
	return read, err
}

// joined puts the pieces of a window together, up to the first package that the platform
// did not list because it lists fewer at once. count is how many match, as far as it is
// known without the pieces; -1 for unknown.
func joined(pieces []piece, count int) listing {
	for _, p := range pieces {
		if p.err == nil {
			count = p.read.count
		}
	}
	whole := listing{count: count}
	for _, p := range pieces {
		last := min(p.to, count)
		if p.err != nil {
			late := p.size() > 1 || upstream.IsTooLong(p.err)
			for range last - p.from + 1 {
				whole.results = append(whole.results, listed{late: late, cause: p.err})
			}
			continue
		}
		whole.add(p.read)
		if len(p.read.results) < last-p.from+1 {
			break
		}
	}
	return whole
}

// add appends what was read of a piece. Of one that there is no room for the ids are
// kept, so that the packages are read late.
func (l *listing) add(read listing) {
	hasRoom := l.size+read.size <= maxWindow
	if hasRoom {
		l.size += read.size
	}
	for _, one := range read.results {
		if !hasRoom && one.value != nil && one.id != nil {
			one = listed{id: bytes.Clone(one.id), late: true}
		}
		l.results = append(l.results, one)
	}
}

// name gives the packages that were not read their ids: those of the window that no
// other package has, in its order. Where their number is another one, packages have come
// or gone meanwhile, and it is not known whose they are.
func (l *listing) name(window []listed) {
	known := map[string]bool{}
	nameless := 0
	for _, one := range l.results {
		if known[string(one.id)] = true; one.id == nil {
			nameless++
		}
	}
	others := slices.DeleteFunc(window, func(one listed) bool { return known[string(one.id)] })
	if len(others) == nameless {
		for i := range l.results {
			if l.results[i].id == nil {
				l.results[i].id, others = bytes.Clone(others[0].id), others[1:]
			}
		}
	}
	for i := range l.results {
		l.results[i].late = l.results[i].late && l.results[i].id != nil
	}
}
