package signing

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// Page is a window of the listing.
type Page struct {
	// Count is how many packages match in all.
	Count int `json:"count"`
	// Results are the packages of the window.
	Results []jsontext.Value `json:"results"`
}

// Append appends the page's JSON, {count, results}, to out. The packages keep their
// bytes.
func (p Page) Append(out []byte) []byte {
	out = strconv.AppendInt(append(out, `{"count":`...), int64(p.Count), 10)
	out = append(out, `,"results":[`...)
	for i, value := range p.Results {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	return append(out, `]}`...)
}

// Window lists the packages from and to that match q, from 1 and both included, and
// at most as many as the platform lists at once. Whether the platform itself leaves
// the last one out (specification, part 4.2, does not say) shows in a window that
// lacks just that one: then it is asked for one more, from there on.
func (c *Client) Window(ctx context.Context, q Query, from, to int) (Page, error) {
	read, err := c.listing(ctx, q, from, to)
	page := Page{Count: read.count, Results: make([]jsontext.Value, len(read.results))}
	for i, one := range read.results {
		page.Results[i] = one.value
	}
	return page, err
}

func (c *Client) listing(ctx context.Context, q Query, from, to int) (listing, error) {
	size := to - from + 1
	exclusive := c.exclusive.Load()
	read, err := c.list(ctx, q, from, lastAsked(to, exclusive))
	if err != nil {
		return listing{}, err
	}
	switch got := len(read.results); {
	case got > size:
		c.exclusive.Store(false)
		read.results = read.results[:size]
	case !exclusive && got == size-1 && read.count >= to:
		longer, err := c.list(ctx, q, from, lastAsked(to, true))
		if err != nil {
			return listing{}, err
		}
		if len(longer.results) == size {
			c.exclusive.Store(true)
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

func (c *Client) list(ctx context.Context, q Query, from, to int) (listing, error) {
	body, err := c.upstream.Body(ctx, callOf(listPackages, listPackages.At(c.paths).Path+"?"+q.Encode(from, to)))
	if err != nil {
		return listing{}, Translate(listPackages, err)
	}
	read, err := readListing(body)
	if err != nil {
		return listing{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: read the response: %w", listPackages.Name, err))
	}
	return read, nil
}
