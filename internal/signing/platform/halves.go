package platform

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// maxHalving limits the calls for a window that cannot be read in one piece: seven
// halvings find one package among a hundred, and one call lists the ids.
const maxHalving = 16

// errTooMany is the error of a piece for which no calls are left.
var errTooMany = errors.New("too much of the window cannot be read")

// piece is a part of a window, with the packages or the error of reading it.
type piece struct {
	from, to int
	read     listing
	err      error // why nothing was
	asked    bool  // for this very piece
}

// size returns how many packages the piece may have.
func (p piece) size() int { return p.to - p.from + 1 }

// unread returns how many packages of the piece more calls may find. It is greatest for a
// piece that was not asked for yet.
func (p piece) unread() int {
	switch {
	case !p.asked:
		return signing.MaxPage + p.size()
	case p.err != nil && p.size() > 1:
		return p.size()
	}
	return 0
}

// isAlone reports whether the piece is one package that its listing cannot give.
func (p piece) isAlone() bool { return p.asked && p.err != nil && p.size() == 1 }

// parts are what to ask for next: the piece, or its halves.
func (p piece) parts() []piece {
	if !p.asked {
		return []piece{p}
	}
	middle := p.from + p.size()/2
	return []piece{{from: p.from, to: middle - 1}, {from: middle, to: p.to}}
}

// halved reads a window of which broken says why it could not be read: it is halved, and
// so are the halves that cannot be read, the widest first, down to single packages. Of an
// answer that is too long, what had room in it counts as read. What stays unread has its
// id, where the platform tells the ids alone, and no value.
func (r *reading) halved(ctx context.Context, broken piece) (listing, error) {
	r.inPieces = true
	pieces, err := r.divided(ctx, r.answered(broken))
	if err != nil {
		return listing{}, err
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
	for _, one := range whole.results {
		if one.alone && one.id != nil {
			r.client.apart.add(one.id)
		}
	}
	return whole, nil
}

// divided reads what was not read of pieces, in as many calls as there may be.
func (r *reading) divided(ctx context.Context, pieces []piece) ([]piece, error) {
	for len(pieces) > 0 && r.calls+2 < maxHalving {
		widest := slices.MaxFunc(pieces, func(a, b piece) int { return a.unread() - b.unread() })
		if widest.unread() == 0 {
			break
		}
		var parts []piece
		for _, part := range widest.parts() {
			if part.read, part.err = r.window(ctx, part.from, part.to); part.err != nil && !upstream.IsUnreadable(part.err) && !isSlow(ctx, part.err) {
				return nil, part.err
			}
			parts = append(parts, r.answered(part)...)
		}
		at := slices.IndexFunc(pieces, func(p piece) bool { return p.from == widest.from })
		pieces = slices.Replace(pieces, at, at+1, parts...)
	}
	return pieces, nil
}

// answered returns the pieces that the answer to p leaves: p itself or, if the answer was
// too long, the packages that fit and the rest. A first package that does not fit becomes
// a piece of its own.
func (r *reading) answered(p piece) []piece {
	p.asked, p.read.results = true, r.kept(p.read.results)
	n := len(p.read.results)
	switch {
	case p.err == nil || !upstream.IsTooLong(p.err) || n == 0 && p.size() == 1:
		return []piece{p}
	case n == 0:
		alone, others := p, piece{from: p.from + 1, to: p.to, err: upstream.Unreadable(errTooMany)}
		alone.to = p.from
		return []piece{alone, others}
	case n >= p.size():
		p.err, p.read.results = nil, p.read.results[:p.size()]
		return []piece{p}
	}
	others := piece{from: p.from + n, to: p.to, err: upstream.Unreadable(errTooMany)}
	p.to, p.err = others.from-1, nil
	return []piece{p, others}
}

// kept copies the packages of a piece for which there is room. Of long packages, and of
// those without room, it keeps only the ids, so that they are read later.
func (r *reading) kept(results []listed) []listed {
	kept := make([]listed, len(results))
	for i, one := range results {
		one.id = bytes.Clone(one.id)
		switch {
		case one.value == nil:
		case one.id != nil && r.client.isLong(one.value):
			r.client.apart.add(one.id)
			one = listed{id: one.id, deferred: true}
		case one.id != nil && r.size+len(one.value) > r.client.window:
			one = listed{id: one.id, deferred: true}
		default:
			r.size += len(one.value)
			one.value = bytes.Clone(one.value)
		}
		kept[i] = one
	}
	return kept
}

// ids lists the ids of a window alone, which may work where listing the packages does
// not; if it does not either, the count is -1.
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
// did not list because it lists fewer at once. count is the number of matches if no piece
// tells it; -1 if unknown.
func joined(pieces []piece, count int) listing {
	for _, p := range pieces {
		if p.err == nil && p.read.count >= 0 {
			count = p.read.count
		}
	}
	whole := listing{count: count}
	for _, p := range pieces {
		last := min(p.to, count)
		if p.err != nil {
			deferred := !p.isAlone() || upstream.IsTooLong(p.err)
			for range last - p.from + 1 {
				whole.results = append(whole.results, listed{deferred: deferred, alone: p.isAlone(), cause: p.err})
			}
			continue
		}
		whole.results = append(whole.results, p.read.results...)
		if len(p.read.results) < last-p.from+1 {
			break
		}
	}
	return whole
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
		l.results[i].deferred = l.results[i].deferred && l.results[i].id != nil
	}
}
