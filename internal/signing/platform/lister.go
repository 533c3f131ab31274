package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// Lister lists the packages of the platform that match a query. One package that its
// listing cannot give is read by its id; if that fails too, it is left out and logged, and
// stops nothing.
type Lister struct {
	client *Client
	query  signing.Query
}

// Lister returns the Lister of q.
func (c *Client) Lister(q signing.Query) Lister { return Lister{c, q} }

// Each yields every package, each id once, in the order of the listing, until as many as
// the platform counts have been yielded. It reads windows of 100, at most four at a time,
// and holds no more than these in memory, and eight bytes for each id. A nil value stands
// for a package that cannot be read.
//
// Packages come and go while the listing is read, and those after them change their
// places. So two neighbouring windows share a package: if they do not, the pass steps
// back until they do. Packages that came meanwhile before the current place are found by
// another pass. A package that is there the whole time is never missed.
//
// An error is the last pair; if the count is not reached, it is platform.failed.
func (l Lister) Each(ctx context.Context) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		w := newListPass(l, func(one listItem) bool { return yield(one.value, nil) })
		if err := w.run(ctx); err != nil && !w.stopped {
			yield(nil, err)
		}
	}
}

// Public is Each without data.countersign, like the function Public, and without the packages
// that cannot be read. A package is valid until the next one is asked for: the windows are
// read into the same memory in turn.
func (l Lister) Public(ctx context.Context) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		w := newListPass(l, func(one listItem) bool {
			value, err := one.public()
			return value == nil && err == nil || yield(value, err)
		})
		w.inTurn = true
		if err := w.run(ctx); err != nil && !w.stopped {
			yield(nil, err)
		}
	}
}

// Count returns how many packages match, readable or not.
func (l Lister) Count(ctx context.Context) (int, error) {
	r := windowReader{Lister: l}
	r.query.IDsOnly = true
	read, err := r.window(ctx, 1, 1)
	if upstream.IsUnreadable(err) {
		read, err = l.window(ctx, 1, signing.MaxPage, nil)
	}
	return read.count, err
}

// Page is a window of the listing.
type Page struct {
	// Count is the number of packages that match in all.
	Count int
	// IDs are the ids of the packages of the window.
	IDs []string
	// Results yields the packages of the window. An error is the last pair.
	Results iter.Seq2[jsontext.Value, error]
}

// AppendHead appends the beginning of the page's JSON, {count, results}, to out. The
// packages follow, separated by commas, and then PageEnd.
func (p Page) AppendHead(out []byte) []byte {
	out = strconv.AppendInt(append(out, `{"count":`...), int64(p.Count), 10)
	return append(out, `,"results":[`...)
}

// PageEnd ends the JSON of a page.
const PageEnd = `]}`

// errNothing is the cause of platform.failed if no package of a window can be read.
var errNothing = errors.New("no package of the window can be read")

func nothingRead() error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: %w", listPackages.Name, errNothing))
}

// Page returns the packages from from to to (counting from 1, both inclusive), but at most
// as many as the platform lists at once, without data.countersign, like Public. Packages
// that cannot be read are left out; if none can be read, the error is platform.failed. What
// the window does not give is read when its turn comes.
func (l Lister) Page(ctx context.Context, from, to int) (Page, error) {
	read, err := l.window(ctx, from, to, nil)
	if err != nil {
		return Page{}, err
	}
	l.noteUnread(ctx, from, read.results)
	ids := make([]string, len(read.results))
	for i, one := range read.results {
		ids[i] = string(one.id)
	}
	return Page{Count: read.count, IDs: ids, Results: func(yield func(jsontext.Value, error) bool) {
		shown := len(read.results) == 0
		for _, one := range read.results {
			one, err := l.read(ctx, one)
			var value jsontext.Value
			if err == nil {
				value, err = one.public()
			}
			if value == nil && err == nil {
				continue
			}
			if shown = true; !yield(value, err) || err != nil {
				return
			}
		}
		if !shown {
			yield(nil, nothingRead())
		}
	}}, nil
}

var (
	errNoID    = errors.New("it has no id")
	errTooDeep = errors.New("it is too deep to be listed")
)

// noteUnread logs the packages of a window that have no id, by their place.
func (l Lister) noteUnread(ctx context.Context, from int, results []listItem) {
	for i, one := range results {
		if one.id == nil {
			l.client.unread.notePlace(ctx, l.query, from+i, cmp.Or(one.cause, errNoID))
		}
	}
}

// MaxNested limits the nesting of a package in a list: inside the list's own two levels,
// every JSON reader can still decode it.
const MaxNested = 10_000 - 2

// read reads by its id a package that its window did not give. The result has no value if
// the package is gone, or cannot be read in that way either, which is logged. A package
// that takes too long is such a one as long as the platform answers other calls.
func (l Lister) read(ctx context.Context, one listItem) (listItem, error) {
	if one.value != nil || one.id == nil {
		return one, nil
	}
	value, err := l.client.read(ctx, string(one.id), true)
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return listItem{}, nil
	case isSlow(ctx, err):
		r := windowReader{Lister: l, inPieces: true}
		r.query.IDsOnly = true
		if _, away := r.window(ctx, 1, 1); away != nil && !upstream.IsUnreadable(away) {
			return listItem{}, err
		}
	case upstream.IsUnreadable(err):
	case err != nil:
		return listItem{}, err
	case payload.Depth(value) > MaxNested:
		err = errTooDeep
	default:
		return tidied(listItem{value: value})
	}
	l.client.unread.Note(ctx, string(one.id), "", err)
	return listItem{}, nil
}
