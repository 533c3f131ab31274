package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
)

// unionLife is the life of several lists read as one.
const unionLife = 10 * time.Minute

// listScript reads a window of several lists as one. It returns nil if Redis now holds
// another index, 0 before the first full sweep has ended, the sealed ids of packages that are
// to be read first, if any, and else the number of packages in the lists, the names in the
// window, and their records.
//
// KEYS: slot, state, records, versions, the union, the union's versions, the lists, the hashes
// of what is pending. ARGV: the index's key, the first and the last position, "asc" or "desc",
// whether records are wanted, the union's life in milliseconds, how many lists there are, the
// fields of versions that the union depends on.
//
// The union of the lists is kept until one of them changes, so that a page of a long list
// costs no more than one of a short list.
var listScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
if redis.call('HEXISTS', KEYS[2], 'built') == 0 then return 0 end
local lists = 6 + tonumber(ARGV[7])
local waiting = {}
for i = lists + 1, #KEYS do
  local ids = redis.call('HGETALL', KEYS[i])
  for j = 1, #ids, 2 do
    local record = redis.call('HGET', KEYS[3], ids[j])
    if record and string.sub(record, 1, 1) == '1' then
      waiting[#waiting + 1] = ids[j + 1]
    else
      redis.call('HDEL', KEYS[i], ids[j])
    end
  end
end
if #waiting > 0 then return {waiting} end
local set = KEYS[7]
if lists > 7 then
  set = KEYS[5]
  local versions = {}
  for i = 8, #ARGV do versions[#versions + 1] = redis.call('HGET', KEYS[4], ARGV[i]) or '0' end
  local version = table.concat(versions, ' ')
  if redis.call('GET', KEYS[6]) ~= version then
    local union = {'ZUNIONSTORE', set, lists - 6}
    for i = 7, lists do union[#union + 1] = KEYS[i] end
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

// window is a range of positions in a list.
type window struct {
	first, last int // from 0; -1 is the end
	records     bool
}

// readList reads a window of the lists of q, and counts all that they hold. Packages that were
// just changed and may be on the person's list are read first.
func (x *Index) readList(ctx context.Context, person access.Person, q Query, w window) (names, values []string, count int, err error) {
	for settled := false; ; {
		s, err := x.spaces.Space(ctx)
		if err != nil {
			return nil, nil, 0, err
		}
		var first []string
		if !settled {
			first = newsKeys(s, person, pending)
		}
		reply, err := x.runList(ctx, s, person, q, w, first)
		switch parts, ok := reply.([]any); {
		case errors.Is(err, redis.Nil):
			x.spaces.Invalidate(s)
			continue
		case err != nil:
			return nil, nil, 0, access.Outage(ctx, "read a list", err)
		case ok && len(parts) == 1:
			x.settle(ctx, s, access.Texts(parts[0]))
			settled = true
		case !ok || len(parts) != 3:
			x.wakeUp()
			return nil, nil, 0, fault.New(fault.SigningIndexBuilding).After(buildingRetry)
		default:
			total, _ := parts[0].(int64)
			return access.Texts(parts[1]), access.Texts(parts[2]), int(total), nil
		}
	}
}

// buildingRetry is when a client is told to ask again while the index is being built.
const buildingRetry = 5 * time.Second

func (x *Index) runList(ctx context.Context, s *access.Namespace, person access.Person, q Query, w window, first []string) (any, error) {
	lists := q.lists(person)
	if len(lists) == 0 { // a person without an address signs nothing
		lists = []access.List{{Of: "nobody"}}
	}
	sources := make([]string, len(lists))
	var whose []any
	for i, l := range lists {
		sources[i] = s.List(l)
		if v := version(s, l.Of); !slices.Contains(whose, any(v)) {
			whose = append(whose, v)
		}
	}
	union, direction, records := union(s, sources), "desc", 0
	if q.Ascending {
		direction = "asc"
	}
	if w.records {
		records = 1
	}
	keys := append([]string{s.Slot, s.State(), s.Records(), versions(s), union, union + ":v"}, slices.Concat(sources, first)...)
	args := append([]any{s.Sealed, w.first, w.last, direction, records, unionLife.Milliseconds(), len(sources)}, whose...)
	return listScript.Run(ctx, x.spaces.Redis, keys, args...).Result()
}
