package access

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"countersign/internal/fault"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"
)

// Item is one package of an own list: the platform's, without its documents' approvals,
// and what the person is to it.
type Item struct {
	Package jsontext.Value
	Grant   Grant
}

// Page is a part of an own list, and how many packages the whole has.
type Page struct {
	Count int
	Items []Item
}

// List is the part of the person's own list that q asks for, the newest first where it
// does not say: what they own and what they sign. Redis answers it alone. The error is
// signing.index-building while the index is not whole, else an outage.
func (x *Index) List(ctx context.Context, person Person, q Query) (Page, error) {
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
func (x *Index) Each(ctx context.Context, person Person, q Query) iter.Seq2[Item, error] {
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

// unionLife is how long lists stay read together.
const unionLife = 10 * time.Minute

// listScript reads a part of lists together. It returns nothing where Redis has another
// index, 0 while the index is not whole, and else how many packages the lists have, the
// names of those of the part, and their records.
//
// KEYS: slot, state, records, versions, the union, the union's versions, the lists.
// ARGV: the index's key, the first and the last, "asc" or "desc", whether records are
// wanted, the union's life in milliseconds, whose versions count.
//
// Several lists are read as one, which is kept until one of them changes: so a page of
// a long list costs no more than one of a short list.
var listScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
if redis.call('HEXISTS', KEYS[2], 'built') == 0 then return 0 end
local set = KEYS[7]
if #KEYS > 7 then
  set = KEYS[5]
  local versions = {}
  for i = 7, #ARGV do versions[#versions + 1] = redis.call('HGET', KEYS[4], ARGV[i]) or '0' end
  local version = table.concat(versions, ' ')
  if redis.call('GET', KEYS[6]) ~= version then
    local union = {'ZUNIONSTORE', set, #KEYS - 6}
    for i = 7, #KEYS do union[#union + 1] = KEYS[i] end
    union[#union + 1], union[#union + 2] = 'AGGREGATE', 'MAX'
    redis.call(unpack(union))
    redis.call('PEXPIRE', set, 2 * ARGV[6])
    redis.call('SET', KEYS[6], version, 'PX', ARGV[6])
  end
end
local range = ARGV[4] == 'asc' and 'ZRANGE' or 'ZREVRANGE'
local names, records = redis.call(range, set, ARGV[2], ARGV[3]), {}
if ARGV[5] == '1' and #names > 0 then records = redis.call('HMGET', KEYS[3], unpack(names)) end
return {redis.call('ZCARD', set), names, records}`)

// window is a part of lists.
type window struct {
	first, last int // from 0; -1 is the end
	records     bool
}

// readList reads a window of the lists of q.
func (x *Index) readList(ctx context.Context, person Person, q Query, w window) (names, values []string, count int, err error) {
	for {
		s, err := x.space(ctx)
		if err != nil {
			return nil, nil, 0, err
		}
		reply, err := x.runList(ctx, s, person, q, w)
		switch parts, ok := reply.([]any); {
		case errors.Is(err, redis.Nil):
			x.known.CompareAndSwap(s, nil)
			continue
		case err != nil:
			return nil, nil, 0, outage(ctx, "read a list", err)
		case !ok || len(parts) != 3:
			x.wakeUp()
			return nil, nil, 0, fault.New(fault.SigningIndexBuilding).After(buildingRetry)
		default:
			total, _ := parts[0].(int64)
			return texts(parts[1]), texts(parts[2]), int(total), nil
		}
	}
}

// buildingRetry is when a client may ask again while the index is being built.
const buildingRetry = 5 * time.Second

func (x *Index) runList(ctx context.Context, s *space, person Person, q Query, w window) (any, error) {
	lists := q.lists(person)
	if len(lists) == 0 { // nobody is a signer without an address
		lists = []list{{of: "nobody"}}
	}
	sources := make([]string, len(lists))
	var whose []any
	for i, l := range lists {
		sources[i] = s.list(l)
		if v := s.version(l.of); !slices.Contains(whose, any(v)) {
			whose = append(whose, v)
		}
	}
	union, direction, records := s.union(sources), "desc", 0
	if q.Ascending {
		direction = "asc"
	}
	if w.records {
		records = 1
	}
	keys := append([]string{s.slot, s.state(), s.records(), s.versions(), union, union + ":v"}, sources...)
	args := append([]any{s.sealed, w.first, w.last, direction, records, unionLife.Milliseconds()}, whose...)
	return listScript.Run(ctx, x.redis, keys, args...).Result()
}

// texts are the strings of a reply; one that is none is "".
func texts(reply any) []string {
	list, _ := reply.([]any)
	out := make([]string, len(list))
	for i, one := range list {
		out[i], _ = one.(string)
	}
	return out
}

// itemsOf are the items of the records of names.
func (x *Index) itemsOf(ctx context.Context, person Person, names []string) ([]Item, error) {
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	return x.items(ctx, person, names, values)
}

// valuesOf are the records of names.
func (x *Index) valuesOf(ctx context.Context, names []string) ([]string, error) {
	s, err := x.space(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := x.redis.HMGet(ctx, s.records(), names...).Result()
	if err != nil {
		return nil, outage(ctx, "read packages", err)
	}
	return texts(reply), nil
}

// items are the items of records, without those that have gone meanwhile.
func (x *Index) items(ctx context.Context, person Person, names, values []string) ([]Item, error) {
	s, err := x.space(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(names))
	for i, name := range names {
		r := openRecord(s.sealer, name, values[i])
		if r == nil || r.standing(person) == Stranger {
			continue
		}
		g := r.grant(person)
		if g.Standing == Signer && !r.visibilityKnown() {
			if g, err = x.admit(ctx, person, r.ID, &r.policy); fault.Is(err, fault.RequestNotFound) {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		item, err := r.openItem()
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Package: item, Grant: g})
	}
	return items, nil
}

// found is what a search compares.
type found struct {
	searched
	name, status string
}

// search is the names of all the packages that q finds, in its order. Where the lists do
// not tell, every record of them is opened.
func (x *Index) search(ctx context.Context, person Person, q Query) ([]string, error) {
	names, _, _, err := x.readList(ctx, person, q, window{last: -1})
	if err != nil || q.listed() {
		return names, err
	}
	var all []found
	for part := range slices.Chunk(names, chunk) {
		matching, err := x.matching(ctx, person, q, part)
		if err != nil {
			return nil, err
		}
		all = append(all, matching...)
	}
	slices.SortStableFunc(all, func(a, b found) int {
		if q.Ascending {
			return q.compare(a, b)
		}
		return q.compare(b, a)
	})
	names = names[:0]
	for _, f := range all {
		names = append(names, f.name)
	}
	return names, nil
}

// matching are those of the records of names that q finds.
func (x *Index) matching(ctx context.Context, person Person, q Query, names []string) (out []found, err error) {
	s, err := x.space(ctx)
	if err != nil {
		return nil, err
	}
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		r := openRecord(s.sealer, name, values[i])
		if r == nil || r.standing(person) == Stranger {
			continue
		}
		item, err := r.openItem()
		if err != nil {
			return nil, err
		}
		if looked, ok := q.match(&r.policy, item, person, x.now()); ok {
			out = append(out, found{looked, name, r.Status})
		}
	}
	return out, nil
}

// wakeUp has Run look at once what there is to do.
func (x *Index) wakeUp() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}
