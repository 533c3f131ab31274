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
	size := to - from + 1
	exclusive := c.exclusive.Load()
	page, err := c.list(ctx, q, from, lastAsked(to, exclusive))
	if err != nil {
		return Page{}, err
	}
	switch got := len(page.Results); {
	case got > size:
		c.exclusive.Store(false)
		page.Results = page.Results[:size]
	case !exclusive && got == size-1 && page.Count >= to:
		longer, err := c.list(ctx, q, from, lastAsked(to, true))
		if err != nil {
			return Page{}, err
		}
		if len(longer.Results) == size {
			c.exclusive.Store(true)
			return longer, nil
		}
	}
	return page, nil
}

func lastAsked(to int, exclusive bool) int {
	if exclusive {
		return to + 1
	}
	return to
}

func (c *Client) list(ctx context.Context, q Query, from, to int) (Page, error) {
	page := Page{Count: -1}
	if err := c.call(ctx, listPackages, exchange{query: q.Encode(from, to), out: &page}); err != nil {
		return Page{}, err
	}
	if page.Count < 0 {
		return Page{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the response lacks count", listPackages.Name))
	}
	return page, nil
}
