package signing

import (
	"context"
	"errors"
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
	body, err := c.upstream.Body(ctx, callOf(listPackages, listPackages.Path+"?"+q.Encode(from, to)))
	if err != nil {
		return Page{}, Translate(listPackages, err)
	}
	page, err := readPage(body)
	if err != nil {
		return Page{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: read the response: %w", listPackages.Name, err))
	}
	return page, nil
}

// readPage reads {count, results}. The packages are parts of body, byte for byte.
func readPage(body []byte) (Page, error) {
	all, err := members(body)
	if err != nil {
		return Page{}, err
	}
	page := Page{Count: -1}
	for _, m := range all {
		value := jsontext.Value(body[m.at:m.after])
		switch string(m.name) {
		case "count":
			page.Count, err = strconv.Atoi(string(value))
		case "results":
			page.Results, err = packagesOf(value)
		}
		if err != nil {
			return Page{}, err
		}
	}
	if page.Count < 0 {
		return Page{}, errors.New("it lacks count")
	}
	return page, nil
}

func packagesOf(results jsontext.Value) ([]jsontext.Value, error) {
	all, err := elements(results)
	packages := make([]jsontext.Value, len(all))
	for i, m := range all {
		packages[i] = results[m.at:m.after:m.after]
	}
	return packages, err
}
