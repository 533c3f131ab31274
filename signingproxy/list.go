package signingproxy

import (
	"fmt"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// listPackages lists the account's packages for an operator, for others their own,
// which the index knows without the platform.
func (p *Proxy) listPackages(c *call) error {
	q, err := signing.ParseQuery(c.query)
	if err != nil {
		return err
	}
	page, err := p.page(c, q)
	if err != nil {
		return err
	}
	return c.list(page)
}

// page is the part of the list that q asks for.
func (p *Proxy) page(c *call, q signing.Query) (signing.Page, error) {
	if c.listsAccount(q) {
		return p.Service.Platform.Window(c.ctx(), q, q.From, q.To)
	}
	own, err := p.Service.Index.List(c.ctx(), c.who.Person, ownQuery(q))
	page := signing.Page{Count: own.Count, Results: make([]jsontext.Value, len(own.Items))}
	for i, item := range own.Items {
		if err == nil {
			page.Results[i], err = c.shown(item, q)
		}
	}
	return page, err
}

// maxHeld is how many bytes of a list are held back, so that its length is known and an
// error can be told.
const maxHeld = 16 << 20

// list answers with a page. What is longer than maxHeld is sent as it is read, and where
// that fails the connection breaks off, so that nobody takes a part for the whole.
func (c *call) list(page signing.Page) error {
	out, before, sent := page.AppendHead(nil), "", false
	for value, err := range page.Whole() {
		switch {
		case err != nil && sent:
			request.LogCause(c.gin, fmt.Errorf("%s: %w", c.Name, err))
			panic(http.ErrAbortHandler)
		case err != nil:
			return err
		case len(out)+len(value) > maxHeld:
			if !sent {
				c.gin.Header("Content-Type", request.JSONType)
				c.gin.Status(http.StatusOK)
			}
			_, _ = c.gin.Writer.Write(out) // a client that has left ends the reading
			out, sent = nil, true
		}
		out = append(append(out, before...), value...)
		before = ","
	}
	out = append(out, signing.PageEnd...)
	if !sent {
		c.data(http.StatusOK, request.JSONType, out)
		return nil
	}
	_, _ = c.gin.Writer.Write(out)
	return nil
}

// everyPackage is every package that q finds, without From and To.
func (p *Proxy) everyPackage(c *call, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		if c.listsAccount(q) {
			for value, err := range p.Service.Platform.PublicWindows(c.ctx(), q) {
				if !yield(value, err) {
					return
				}
			}
			return
		}
		for item, err := range p.Service.Index.Each(c.ctx(), c.who.Person, ownQuery(q)) {
			var value jsontext.Value
			if err == nil {
				value, err = c.shown(item, q)
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// listsAccount reports whether the list is the platform's own: an operator's who
// does not ask for what is theirs.
func (c *call) listsAccount(q signing.Query) bool { return c.who.Operator && q.Mine == "" }

// shown is what the person is shown of a package of their own list.
func (c *call) shown(item index.Item, q signing.Query) (jsontext.Value, error) {
	switch {
	case q.IDsOnly:
		return signing.OnlyID(item.Package)
	case item.Grant.Standing == index.Signer:
		return signing.Reduce(item.Package, c.viewer(item.Grant))
	}
	return signing.Public(item.Package)
}

// ownQuery is q for an own list.
func ownQuery(q signing.Query) index.Query {
	return index.Query{
		Folder: q.Folder, Predefined: q.Predefined, Type: q.Type, Visibility: q.Visibility,
		Search: q.Search, SearchType: q.SearchType, UpdatedFrom: q.UpdatedFrom, UpdatedTo: q.UpdatedTo,
		Sort: q.Sort, Ascending: q.Ascending, Mine: q.Mine, From: q.From, To: q.To,
	}
}
