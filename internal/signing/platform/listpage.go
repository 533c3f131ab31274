package platform

import (
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

// Page is a window of the listing.
type Page struct {
	// Count is the number of packages that match in all.
	Count int
	// Results are the packages of the window, except the long ones that only Whole
	// yields.
	Results []jsontext.Value

	all iter.Seq2[jsontext.Value, error]
}

// Whole yields every package of the window that can be read. Long ones, for which the
// window has no room, are read one by one when their turn comes. An error is the last
// pair.
func (p Page) Whole() iter.Seq2[jsontext.Value, error] {
	if p.all != nil {
		return p.all
	}
	return func(yield func(jsontext.Value, error) bool) {
		for _, value := range p.Results {
			if !yield(value, nil) {
				return
			}
		}
	}
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

// maxListed limits the nesting of a listed package: inside the listing's own two levels,
// every JSON reader can still decode it.
const maxListed = 10_000 - 2

// Window lists the packages from to to (counting from 1, both inclusive) that match q,
// but at most as many as the platform lists at once, without data.countersign, like
// Public. Packages that cannot be read are left out; if none can be read, the error is
// platform.failed.
func (c *Client) Window(ctx context.Context, q signing.Query, from, to int) (Page, error) {
	read, err := c.listing(ctx, q, from, to, nil)
	if err != nil {
		return Page{}, err
	}
	c.noteUnread(ctx, q, from, read.results)
	page := Page{Count: read.count, all: c.readAll(ctx, read.results)}
	deferred := false
	for i := range read.results {
		one := &read.results[i]
		if deferred = deferred || one.deferred; one.value == nil {
			continue
		}
		if one.value, err = one.public(); err != nil {
			return Page{}, err
		}
		one.ours, one.data = ours{}, nil
		page.Results = append(page.Results, one.value)
	}
	if len(read.results) > 0 && len(page.Results) == 0 && !deferred {
		return Page{}, nothingRead()
	}
	return page, nil
}

func nothingRead() error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: %w", listPackages.Name, errNothing))
}

// readAll returns Page.Whole for the packages of a window.
func (c *Client) readAll(ctx context.Context, results []listed) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		shown := 0
		for _, one := range results {
			var err error
			if one.deferred {
				one, err = c.readDeferred(ctx, one)
			}
			value := one.value
			if err == nil && value != nil {
				value, err = one.public()
			}
			if value == nil && err == nil {
				continue
			}
			if shown++; !yield(value, err) || err != nil {
				return
			}
		}
		if len(results) > 0 && shown == 0 {
			yield(nil, nothingRead())
		}
	}
}

// readDeferred reads by its id a package that its window had no room for; the result has
// no value if the package is nested too deeply.
func (c *Client) readDeferred(ctx context.Context, one listed) (listed, error) {
	read, err := c.byID(ctx, one.id)
	if err == nil && payload.Depth(read.value) > maxListed {
		c.unread.Note(ctx, string(one.id), "", errTooDeep)
		return listed{}, nil
	}
	return read, err
}

// noteUnread logs the packages of a window that cannot be read or have no id.
func (c *Client) noteUnread(ctx context.Context, q signing.Query, from int, results []listed) {
	for i, one := range results {
		switch {
		case one.id == nil && one.cause == nil:
			c.unread.notePlace(ctx, q, from+i, errNoID)
		case one.id == nil && !one.deferred:
			c.unread.notePlace(ctx, q, from+i, one.cause)
		case one.value == nil && !one.deferred:
			c.unread.Note(ctx, string(one.id), "", one.cause)
		}
	}
}

var (
	errNoID    = errors.New("it has no id")
	errTooDeep = errors.New("it is too deep to be listed")
)

// byID reads by its id a package that its window did not give. The result has no value if
// the package is gone, or cannot be read in time either, which is logged.
func (c *Client) byID(ctx context.Context, id []byte) (listed, error) {
	value, err := c.Package(ctx, string(id))
	switch {
	case fault.Is(err, fault.RequestNotFound):
		c.apart.gone(id)
		return listed{}, nil
	case upstream.IsUnreadable(err), isSlow(ctx, err):
		c.apart.failed(id)
		c.unread.Note(ctx, string(id), "", err)
		return listed{id: id, cause: err}, nil
	case err != nil:
		return listed{}, err
	}
	c.apart.read(id, value, c.isLong(value))
	return tidied(listed{value: value})
}

// Count returns how many packages match q, readable or not.
func (c *Client) Count(ctx context.Context, q signing.Query) (int, error) {
	r := reading{client: c, query: q}
	r.query.IDsOnly = true
	read, err := r.window(ctx, 1, 1)
	if upstream.IsUnreadable(err) {
		read, err = c.listing(ctx, q, 1, signing.MaxPage, nil)
	}
	return read.count, err
}
