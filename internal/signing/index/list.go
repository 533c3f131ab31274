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

// Item is one package of an own list: the platform's, without its documents' approvals,
// and what the person is to it.
type Item struct {
	Package jsontext.Value
	Grant   Grant
	// Asked are the ids of the roles that have something to sign, Signed of those that have
	// signed all of it.
	Asked, Signed []string
}

// Page is a part of an own list, and how many packages the whole has.
type Page struct {
	Count int
	Items []Item
}

// List is the part of the person's own list that q asks for, the newest first where it
// does not say: what they own and what they sign. Redis answers it alone. The error is
// signing.index-building while the index is not whole, else an outage.
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

// chunk is how many records are read at once.
const chunk = 100

// Each is every package that q finds on the person's own list, in its order and each
// once, as of now; From and To are passed over. Errors are List's, and the last pair.
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

// itemsOf are the items of the records of names.
func (x *Index) itemsOf(ctx context.Context, person access.Person, names []string) ([]Item, error) {
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	return x.items(ctx, person, names, values)
}

// valuesOf are the records of names.
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

// items are the items of records, without those that have gone meanwhile.
func (x *Index) items(ctx context.Context, person access.Person, names, values []string) ([]Item, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(names))
	for i, name := range names {
		r := openRecord(s.Sealer, name, values[i])
		if r == nil || r.standing(person) == Stranger {
			continue
		}
		g := r.grant(person)
		if g.Standing == Signer && !r.visibilityKnown() {
			asked, failed := x.admit(ctx, person, r.ID, &r.policy, g)
			switch {
			case fault.Is(failed, fault.RequestNotFound):
				continue
			case upstream.IsUnreadable(failed): // no document is shown until it is known
				x.note(ctx, r.ID, r.Updated, failed)
			default:
				g, err = asked, failed
			}
		}
		if err != nil {
			return nil, err
		}
		item, err := r.openItem()
		if err != nil {
			return nil, err
		}
		asked, signed := r.progress()
		items = append(items, Item{Package: item, Grant: g, Asked: asked, Signed: signed})
	}
	return items, nil
}
