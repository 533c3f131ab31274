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
	// life limits how long the index outlives its last full sweep. listLife limits the
	// same for a list, and is longer so that no list expires while the index counts as
	// built.
	life     = 30 * 24 * time.Hour
	listLife = 40 * 24 * time.Hour
)

// writeScript changes one record and all the lists it is in, unless somebody wrote it
// after the counter stood at ARGV[1]; then it returns 0.
//
// KEYS: state, records, versions, the people with a remembered 404 for the package, the
// stream of ends, lists to leave, lists to join, people's news. ARGV: the counter, the
// name, "put", "drop", "tombstone" or "keep", the value, when the package was created in
// Unix seconds, how many lists to leave, the life of a list in seconds, the person for whom
// to remember a 404 ("*" forgets all of them), now and for how long in milliseconds, how
// many lists to join, the life of news in seconds, the end that its owner is to be told of
// ("" for none), a field and a value for each key of news ("" deletes the field), the
// fields of versions to count up.
//
// "drop" writes a tombstone if there was a record, "tombstone" always: it keeps a
// platform answer of before from being written.
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
local verb, leave, there = ARGV[3], 5 + tonumber(ARGV[6]), current and #current > 16
local join, at = leave + tonumber(ARGV[11]), 14
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
for i = 6, join do
  if i <= leave then
    redis.call('ZREM', KEYS[i], ARGV[2])
  else
    redis.call('ZADD', KEYS[i], place, ARGV[2])
    redis.call('EXPIRE', KEYS[i], ARGV[7])
  end
end
for i = join + 1, #KEYS do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', KEYS[i], ARGV[at])
  else
    redis.call('HSET', KEYS[i], ARGV[at], ARGV[at + 1])
    redis.call('EXPIRE', KEYS[i], ARGV[12])
  end
  at = at + 2
end
if ARGV[13] ~= '' then
  redis.call('XADD', KEYS[5], '*', 'end', ARGV[13])
  redis.call('EXPIRE', KEYS[5], ARGV[7])
end
for i = at, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[i], 1) end
return 1`)

// change is a write to one record.
type change struct {
	name      string
	counter   uint64  // before the platform was asked
	before    *policy // as the record has it; nil without a record
	after     *policy // bounded; nil if the package is gone
	full      *policy // after, before it was bounded
	boundErr  error   // names the bound that the package exceeds, if any
	item      []byte  // after the change
	tombstone bool    // leaves a tombstone even where there was no record
	keep      bool    // the record is as it should be
	miss      string  // the person for whom to remember a 404, allMisses, or "" for no change
	now       time.Time
}

// allMisses drops every remembered 404 of the package.
const allMisses = "*"

func (c change) verb() string {
	switch {
	case c.keep:
		return "keep"
	case c.after != nil:
		return "put"
	case c.tombstone:
		return "tombstone"
	}
	return "drop"
}

// write carries out a change; false if another writer was faster.
func (x *Index) write(ctx context.Context, s *access.Space, c change) (bool, error) {
	reply, err := x.send(ctx, x.spaces.Redis, s, c)
	if err != nil {
		return false, err
	}
	done, err := reply.Bool()
	if err != nil {
		return false, access.Outage(ctx, "write a package", err)
	}
	return done, nil
}

// send sends the change, or adds it to a pipeline, and logs what the record cannot hold
// in full.
func (x *Index) send(ctx context.Context, to redis.Scripter, s *access.Space, c change) (*redis.Cmd, error) {
	var value, end []byte
	var created int64
	verb, effects := c.verb(), effectsOf(s, c)
	if verb == "put" {
		var cut bool
		var err error
		if value, end, cut, err = c.seal(s.Sealer, effects.ended && x.tell != nil); err != nil {
			return nil, err
		}
		if cut || c.after.Cut {
			c.boundErr = cmp.Or(c.boundErr, errCut)
		}
		if c.boundErr != nil {
			x.note(ctx, c.after.ID, c.after.Updated, c.boundErr)
		}
		created = c.after.Created
	}
	keys := []string{s.State(), s.Records(), versions(s), s.Missed(c.name), ends(s)}
	args := []any{c.counter, c.name, verb, value, created, len(effects.leave), access.Seconds(listLife),
		c.miss, c.now.UnixMilli(), access.MissedFor.Milliseconds(), len(effects.join), access.Seconds(newsLife), end}
	var changed []any
	for _, l := range slices.Concat(effects.leave, effects.join) {
		keys = append(keys, s.List(l))
		if v := version(s, l.Of); !slices.Contains(changed, any(v)) {
			changed = append(changed, v)
		}
	}
	for _, n := range effects.news {
		keys, args = append(keys, n.key), append(args, n.field, n.value)
	}
	return writeScript.Eval(ctx, to, keys, append(args, changed...)...), nil
}

// revisionOf returns the counter as records write it.
func revisionOf(counter uint64) string { return fmt.Sprintf("%0*d", revisionDigits, counter) }
