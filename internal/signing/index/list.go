package index

import (
	"context"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Item is one package of a person's list: the platform's package without its documents'
// approvals, and the person's grant.
type Item struct {
	Package jsontext.Value
	Grant   Grant
	// Asked holds the ids of the roles that have something to sign, Signed of those that
	// have signed all of it.
	Asked, Signed []string
}

// Page is a part of a list, with the number of packages in the whole list.
type Page struct {
	Count int
	Items []Item
}

// List returns the part of the person's own list that q asks for, by default the newest
// first: the packages that they own or sign. It reads Redis alone, but for packages that
// have no room there, and the visibility of documents where it is not known. The error is signing.index-building before the
// first full sweep has ended, else an outage or the platform's.
func (x *Index) List(ctx context.Context, person access.Person, q Query) (Page, error) {
	if q.listed() {
		names, values, count, err := x.readList(ctx, person, q, window{first: q.From - 1, last: q.To - 1, records: true})
		if err != nil {
			return Page{}, err
		}
		items, err := x.items(ctx, person, names, values)
		return Page{Count: count, Items: items}, err
	}
	names, err := x.search(ctx, person, q)
	if err != nil {
		return Page{}, err
	}
	page := Page{Count: len(names)}
	first, last := min(max(q.From-1, 0), len(names)), min(max(q.To, 0), len(names))
	if first < last {
		page.Items, err = x.itemsOf(ctx, person, names[first:last])
	}
	return page, err
}

// chunk limits the records read at once.
const chunk = 100

// Each yields every package that q finds on the person's own list, in its order and each
// once, as of now; q.From and q.To are ignored. An error, one of List's, ends it.
func (x *Index) Each(ctx context.Context, person access.Person, q Query) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		names, err := x.search(ctx, person, q)
		if err != nil {
			yield(Item{}, err)
			return
		}
		for part := range slices.Chunk(names, chunk) {
			items, err := x.itemsOf(ctx, person, part)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// itemsOf returns the items of the named records.
func (x *Index) itemsOf(ctx context.Context, person access.Person, names []string) ([]Item, error) {
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	return x.items(ctx, person, names, values)
}

// valuesOf returns the values of the named records.
func (x *Index) valuesOf(ctx context.Context, names []string) ([]string, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := x.spaces.Redis.HMGet(ctx, s.Records(), names...).Result()
	if err != nil {
		return nil, access.Outage(ctx, "read packages", err)
	}
	return access.Texts(reply), nil
}

// shown calls use with each record that the person may see, and with the policy and the item that
// hold for it now.
func (x *Index) shown(ctx context.Context, person access.Person, names, values []string, use func(*record, *policy, []byte) error) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		r := openRecord(s.Sealer, name, values[i])
		if r == nil || r.accessOf(person) == NoAccess {
			continue
		}
		p, item, err := x.listed(ctx, person, r)
		if err != nil {
			return err
		}
		if item == nil || p.accessOf(person) == NoAccess {
			continue
		}
		if err := use(r, p, item); err != nil {
			return err
		}
	}
	return nil
}

// items returns the items of records, without those that are gone.
func (x *Index) items(ctx context.Context, person access.Person, names, values []string) ([]Item, error) {
	items := make([]Item, 0, len(names))
	err := x.shown(ctx, person, names, values, func(r *record, p *policy, item []byte) (err error) {
		g := p.grant(person)
		if g.Access == Signer && !p.visibilityKnown() && p == &r.policy {
			if g, err = x.admitListed(ctx, person, r, g); err != nil {
				return err
			}
		}
		asked, signed := p.progress()
		items = append(items, Item{Package: item, Grant: g, Asked: asked, Signed: signed})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// admitListed is admit for a list, which an answer that cannot be read, or a refusal, does not
// stop: then the person sees no document.
func (x *Index) admitListed(ctx context.Context, person access.Person, r *record, g Grant) (Grant, error) {
	asked, err := x.admit(ctx, person, r.ID, &r.policy, g)
	switch {
	case fault.Is(err, fault.RequestNotFound): // one such answer drops nothing
		return g, nil
	case fault.Is(err, fault.PlatformFailed), refused(err): // no document is shown until it is known
		x.unread.Note(ctx, r.ID, r.Updated, err)
		return g, nil
	}
	return asked, err
}

// listed returns the package of a record for the person's list, and the policy that goes
// with it. One that has no room in its record, or was just changed, is read from the platform; without an item,
// the platform does not have it, or it cannot be read, which is logged.
func (x *Index) listed(ctx context.Context, person access.Person, r *record) (*policy, []byte, error) {
	if r.item != "" && !r.stale {
		item, err := r.openItem()
		return &r.policy, item, err
	}
	c, err := x.refresh(ctx, r.ID, refreshOptions{person: person, visibility: r.accessOf(person) == Signer})
	switch {
	case err != nil && r.stale && r.item != "" && r.madeBy(person):
		item, err := r.openItem()
		return &r.policy, item, err
	case upstream.IsUnreadable(err), (upstream.IsTimeout(err) || r.stale && err != nil) && ctx.Err() == nil:
		x.unread.Note(ctx, r.ID, r.Updated, err)
		return nil, nil, nil
	case err != nil || c.full == nil:
		return nil, nil, err
	}
	return c.full, c.item, nil
}
