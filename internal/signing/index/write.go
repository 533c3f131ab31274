package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

const (
	// life is how long the index outlives its last whole walk, and listLife how long
	// its lists do: none is gone while the index says that it is whole.
	life     = 30 * 24 * time.Hour
	listLife = 40 * 24 * time.Hour
)

// writeScript changes one record with all the lists it is in, if nobody wrote it after
// the counter stood at ARGV[1]; it returns 0 where somebody did.
//
// KEYS: state, records, versions, the people who missed it, lists to leave, lists to
// join. ARGV: the counter, the name, "put", "drop", "bury" or "keep", the value, when the
// package was created in Unix seconds, how many lists to leave, the life of a list in
// seconds, who misses it now ("*" forgets everybody who did), now and for how long in
// milliseconds, whose versions change.
//
// A dropped record is gone; a buried one leaves a tombstone, against the answer of a
// platform that was asked before.
var writeScript = redis.NewScript(`
local current = redis.call('HGET', KEYS[2], ARGV[2])
if current and tonumber(string.sub(current, 1, 16)) > tonumber(ARGV[1]) then return 0 end
if ARGV[8] == '*' then
  redis.call('DEL', KEYS[4])
elseif ARGV[8] ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[9])
  redis.call('ZADD', KEYS[4], ARGV[9] + ARGV[10], ARGV[8])
  redis.call('PEXPIRE', KEYS[4], ARGV[10])
end
local verb, leave, there = ARGV[3], 4 + tonumber(ARGV[6]), current and #current > 16
if verb == 'keep' or (verb == 'drop' and not current) then return 1 end
local revision = string.format('%016.0f', redis.call('HINCRBY', KEYS[1], 'counter', 1))
local place
if there then
  place = string.sub(current, 17, 33)
elseif verb == 'put' then
  local number = redis.call('HINCRBY', KEYS[1], 'number', 1) % 1048576
  place = string.format('%017.0f', tonumber(ARGV[5]) * 1048576 + number)
end
if verb == 'put' then
  redis.call('HSET', KEYS[2], ARGV[2], revision .. place .. ARGV[4])
  if not there then redis.call('HINCRBY', KEYS[1], 'size', 1) end
else
  redis.call('HSET', KEYS[2], ARGV[2], revision)
  if there then redis.call('HINCRBY', KEYS[1], 'size', -1) end
end
for i = 5, #KEYS do
  if i <= leave then
    redis.call('ZREM', KEYS[i], ARGV[2])
  else
    redis.call('ZADD', KEYS[i], place, ARGV[2])
    redis.call('EXPIRE', KEYS[i], ARGV[7])
  end
end
for i = 11, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[i], 1) end
return 1`)

// change is what becomes of one record.
type change struct {
	name    string
	counter uint64  // before the platform was asked
	before  *policy // as the record has it; nil for none
	after   *policy // nil: the package is gone; bounded
	whole   *policy // after, unbounded
	breaks  error   // which bound the package breaks, if any
	item    []byte  // after the change
	bury    bool    // what is gone leaves a tombstone though it was not there
	keep    bool    // the record is as it should be
	misses  string  // who misses the package now; everybody: nobody does any more
	now     time.Time
}

// everybody who missed a package may ask for it again.
const everybody = "*"

func (c change) verb() string {
	switch {
	case c.keep:
		return "keep"
	case c.after != nil:
		return "put"
	case c.bury:
		return "bury"
	}
	return "drop"
}

// send sends the change, or adds it to a pipeline. What the record cannot hold in whole
// is named in the log.
func (x *Index) send(ctx context.Context, to redis.Scripter, s *access.Space, c change) (*redis.Cmd, error) {
	if c.verb() != "put" {
		return c.send(ctx, to, s, nil), nil
	}
	value, cut, err := sealRecord(s.Sealer, c.name, *c.after, c.item)
	if err != nil {
		return nil, err
	}
	if cut || c.after.Cut {
		c.breaks = cmp.Or(c.breaks, errCut)
	}
	if c.breaks != nil {
		x.note(ctx, c.after.ID, c.after.Updated, c.breaks)
	}
	return c.send(ctx, to, s, value), nil
}

// send sends the change, or adds it to a pipeline: value is the record's after it.
func (c change) send(ctx context.Context, to redis.Scripter, s *access.Space, value []byte) *redis.Cmd {
	var leave, join []access.List
	var created int64
	if !c.keep {
		leave, join = moves(c.before, c.after)
	}
	if c.after != nil {
		created = c.after.Created
	}
	keys := []string{s.State(), s.Records(), versions(s), s.Missed(c.name)}
	args := []any{c.counter, c.name, c.verb(), value, created, len(leave), access.Seconds(listLife),
		c.misses, c.now.UnixMilli(), access.MissedFor.Milliseconds()}
	var changed []string
	for _, l := range slices.Concat(leave, join) {
		keys = append(keys, s.List(l))
		if v := version(s, l.Of); !slices.Contains(changed, v) {
			changed = append(changed, v)
			args = append(args, v)
		}
	}
	return writeScript.Eval(ctx, to, keys, args...)
}

// revisionOf is the counter as records have it.
func revisionOf(counter uint64) string { return fmt.Sprintf("%0*d", revisionDigits, counter) }
