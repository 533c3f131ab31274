package platform

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// isLong reports whether the package takes so much of a window that a few of its kind fill it.
func (c *Client) isLong(value jsontext.Value) bool { return len(value) > c.window/16 }

// around reads a window around the packages that are known to stand apart: first the ids,
// then what lies between these packages, which are read late. It is false where the window
// has none of them, or the platform does not tell the ids.
//
// A package that moves meanwhile, since others come or go before it, is read late as well.
func (r *reading) around(ctx context.Context, from, to int) (whole listing, done bool, err error) {
	ids, err := r.ids(ctx, from, to)
	if err != nil || ids.count < 0 {
		return listing{}, false, err
	}
	pieces, known := r.between(from, ids.results)
	if !known {
		return listing{}, false, nil
	}
	r.inPieces = true
	if pieces, err = r.divided(ctx, pieces); err != nil {
		return listing{}, false, err
	}
	read := map[string]listed{}
	for _, p := range pieces {
		for _, one := range p.read.results {
			read[string(one.id)] = one
		}
	}
	for _, p := range pieces {
		if p.isAlone() {
			r.client.apart.add(ids.results[p.from-from].id)
		}
	}
	whole = listing{count: ids.count}
	for _, one := range ids.results {
		found, is := read[string(one.id)]
		if !is {
			found = listed{id: bytes.Clone(one.id), deferred: true}
		}
		whole.results = append(whole.results, found)
	}
	return whole, true, nil
}

// Known tells when the package of an id was updated that whoever asks has read, as the
// platform wrote it; "" where it is to be read in any case.
type Known func(ctx context.Context, id string) (updated string, err error)

// isUnchanged reports whether one stands apart and was not updated since it is known: the
// platform is asked for the ids of what was, which costs less than a long package. Where
// it dates updates less exactly than it finds them, nothing is.
func (w *walk) isUnchanged(ctx context.Context, one listed) (bool, error) {
	if w.known == nil || one.value != nil || one.id == nil || !w.client.apart.has(one.id) {
		return false, nil
	}
	updated, err := w.known(ctx, string(one.id))
	at, unknown := time.Parse(time.RFC3339, updated)
	if err != nil || unknown != nil || at.Before(w.query.UpdatedFrom) {
		return false, err
	}
	r := reading{client: w.client, query: w.query}
	r.query.IDsOnly, r.query.UpdatedFrom = true, at.Add(time.Millisecond)
	since, err := r.window(ctx, 1, signing.MaxPage)
	switch {
	case upstream.IsUnreadable(err), err == nil && since.count > len(since.results):
		return false, nil
	case err != nil:
		return false, err
	}
	return !slices.ContainsFunc(since.results, func(other listed) bool { return bytes.Equal(other.id, one.id) }), nil
}

// between are the pieces of a window from place from on that have no package which stands
// apart; known reports whether there is one. Where some package has no id, none is known.
func (r *reading) between(from int, ids []listed) (pieces []piece, known bool) {
	at := from // where the next piece begins
	for i, one := range ids {
		if one.id == nil {
			return nil, false
		}
		if !r.client.apart.has(one.id) {
			continue
		}
		if known = true; at < from+i {
			pieces = append(pieces, piece{from: at, to: from + i - 1})
		}
		at = from + i + 1
	}
	if end := from + len(ids); at < end {
		pieces = append(pieces, piece{from: at, to: end - 1})
	}
	return pieces, known
}
