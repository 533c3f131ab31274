package signingproxy

import (
	"fmt"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
)

// listPackages lists the account's packages for an operator who does not ask for their
// own. For everyone else it lists their own packages, from the index and without calling
// the platform.
func (p *Proxy) listPackages(c *call) error {
	q, err := signing.ParseQuery(c.query)
	if err != nil {
		return err
	}
	page, err := p.page(c, q)
	if err != nil {
		return err
	}
	c.noteList(q)
	return c.list(page)
}

// page returns the part of the list that q asks for. Its packages say when they go to the trash.
func (p *Proxy) page(c *call, q signing.Query) (page platform.Page, err error) {
	if c.listsAccount(q) {
		page, err = p.Service.Platform.Lister(q).Page(c.ctx(), q.From, q.To)
	} else {
		page, err = p.ownPage(c, q)
	}
	if err != nil || q.IDsOnly {
		return page, err
	}
	times, err := p.Service.TrashTimes(c.ctx(), page.IDs...)
	if len(times) > 0 {
		page.Results = withTrashTimes(page.Results, times)
	}
	return page, err
}

func (p *Proxy) ownPage(c *call, q signing.Query) (platform.Page, error) {
	own, err := p.Service.Index.List(c.ctx(), c.who.Person, ownQuery(q))
	if err != nil {
		return platform.Page{}, err
	}
	return platform.Page{Count: own.Count, IDs: idsOf(own.Items), Results: func(yield func(jsontext.Value, error) bool) {
		for _, item := range own.Items {
			value, err := c.shown(item, q)
			if !yield(value, err) {
				return
			}
		}
	}}, nil
}

// maxHeld limits the bytes of a list that are buffered, so that its length is known and
// an error can still be reported.
const maxHeld = 16 << 20

// list answers with a page. It sends a page longer than maxHeld while reading it; if that
// fails, it breaks off the connection, so that nobody takes a part for the whole list.
func (c *call) list(page platform.Page) error {
	out, before, sent := page.AppendHead(nil), "", false
	for value, err := range page.Results {
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
			_, _ = c.gin.Writer.Write(out) // if the client has left, its cancelled request ends the reading
			out, sent = nil, true
		}
		out = append(append(out, before...), value...)
		before = ","
	}
	out = append(out, platform.PageEnd...)
	if !sent {
		c.data(http.StatusOK, request.JSONType, out)
		return nil
	}
	_, _ = c.gin.Writer.Write(out)
	return nil
}

// everyPackage yields every package that q finds, regardless of From and To.
func (p *Proxy) everyPackage(c *call, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		if c.listsAccount(q) {
			for value, err := range p.Service.Platform.Lister(q).Public(c.ctx()) {
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

// listsAccount reports whether the list comes from the platform: for an operator who does
// not ask for their own packages.
func (c *call) listsAccount(q signing.Query) bool { return c.who.Operator && q.Mine == "" }

// noteList records that an operator reads the account's packages.
func (c *call) noteList(q signing.Query) {
	if c.listsAccount(q) {
		c.who.Reads(c.Name, "", "")
	}
}

// shown returns the part of a package from the person's own list that they may see.
func (c *call) shown(item index.Item, q signing.Query) (jsontext.Value, error) {
	switch {
	case q.IDsOnly:
		return signing.OnlyID(item.Package)
	case item.Grant.Access == index.Signer:
		return signing.Reduce(item.Package, c.viewer(item.Grant))
	}
	return platform.Public(item.Package)
}

// ownQuery translates q for the index.
func ownQuery(q signing.Query) index.Query {
	return index.Query{
		Folder: q.Folder, Predefined: q.Predefined, Type: q.Type, Visibility: q.Visibility,
		Search: q.Search, SearchType: q.SearchType, UpdatedFrom: q.UpdatedFrom, UpdatedTo: q.UpdatedTo,
		Sort: q.Sort, Ascending: q.Ascending, Mine: q.Mine, From: q.From, To: q.To,
	}
}
