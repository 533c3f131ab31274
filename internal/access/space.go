package access

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/seal"

	"github.com/redis/go-redis/v9"
)

// spaces finds the space of an index.
type spaces struct {
	redis redis.UniversalClient
	keys  seal.Keys
	tag   string
	// format names how records are written: with another one another index is begun.
	format string
	life   time.Duration // of the index's own key
	known  atomic.Pointer[space]
}

// space is one index in Redis: its own key, and so its names and what it seals. It is
// another one after Redis was emptied.
type space struct {
	sealer seal.Sealer
	prefix string
	sealed string // the index's own key, as it lies at slot
	slot   string
}

// list is a sorted set of records: what somebody is to them, and a bucket of these. What
// a person may see is in a few of them together.
type list struct{ of, bucket string }

// state and records are the keys of the index's own counters and of its records.
func (s *space) state() string   { return s.prefix + "state" }
func (s *space) records() string { return s.prefix + "records" }

// missed is the key of the people who have nothing under that record's name, and person
// returns a person's name there.
func (s *space) missed(record string) string { return s.prefix + "m:" + record }
func (s *space) person(person Person) string {
	return s.sealer.Name("person " + person.User + "\x00" + person.Email)
}

// list returns the key of a list.
func (s *space) list(l list) string {
	return s.prefix + "l:" + s.sealer.Name("list "+l.of+"\x00"+l.bucket)
}

// lost has the space looked for anew: Redis has another index than s.
func (x *spaces) lost(s *space) { x.known.CompareAndSwap(s, nil) }

// inSpace reads in the space that Redis has now: read returns what it found at the
// space's slot.
func (x *spaces) inSpace(ctx context.Context, read func(*space) (current string, err error)) error {
	for {
		s, err := x.space(ctx)
		if err != nil {
			return err
		}
		current, err := read(s)
		if err != nil || current == s.sealed {
			return err
		}
		x.lost(s)
	}
}

// space is the index that this node knows; the first time it looks for it.
func (x *spaces) space(ctx context.Context) (*space, error) {
	if known := x.known.Load(); known != nil {
		return known, nil
	}
	return x.findSpace(ctx)
}

// findKeyScript returns the first of KEYS that is there and its number; where none is,
// ARGV[1] becomes the first. Otherwise the first that is missing stays so.
var findKeyScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value then return {i, value} end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {1, ARGV[1]}`)

// findSpace looks for the index's own key under each of ACCESS_KEYS, and makes one
// where there is none. Found under a later key it is put under the first one too: so
// the keys rotate while the index stays.
func (x *spaces) findSpace(ctx context.Context) (*space, error) {
	slots, sealers := x.slots(), x.slotSealers()
	own := make([]byte, seal.KeyLength)
	_, _ = rand.Read(own) // never fails: crypto/rand ends the program first
	fresh := sealers[0].Seal(own, []byte(slots[0]))
	reply, err := findKeyScript.Run(ctx, x.redis, slots, fresh, seconds(x.life)).Slice()
	if err != nil {
		return nil, outage(ctx, "find the index", err)
	}
	i, value, ok := readSlot(reply)
	if !ok || i < 1 || i > len(slots) {
		return nil, outage(ctx, "find the index", errors.New("a reply that is none"))
	}
	plain, ok := sealers[i-1].Open([]byte(value), []byte(slots[i-1]))
	if !ok { // nobody sealed this: the index is lost, and begins anew
		if err := x.redis.Del(ctx, slots[i-1]).Err(); err != nil {
			return nil, outage(ctx, "give a broken index up", err)
		}
		return x.findSpace(ctx)
	}
	if i > 1 {
		value = string(sealers[0].Seal(plain, []byte(slots[0])))
		if err := x.redis.SetNX(ctx, slots[0], value, x.life).Err(); err != nil {
			return nil, outage(ctx, "put the index under the first key", err)
		}
		return x.findSpace(ctx)
	}
	keys, err := seal.New(plain)
	if err != nil {
		return nil, fmt.Errorf("access: %w", err)
	}
	sealer := keys.For("access index of " + x.format)
	found := &space{
		sealer: sealer, prefix: x.tag + sealer.Name("index")[:8] + ":", sealed: value, slot: slots[0],
	}
	x.known.Store(found)
	return found, nil
}

// slotSealers seal the index's own key, one under each of ACCESS_KEYS.
func (x *spaces) slotSealers() (sealers []seal.Sealer) {
	for _, key := range x.keys.Each() {
		sealers = append(sealers, key.For("countersign access index key"))
	}
	return sealers
}

// slots are the keys at which the index's own key lies, as slotSealers sealed it.
func (x *spaces) slots() (slots []string) {
	for _, sealer := range x.slotSealers() {
		slots = append(slots, x.tag+"key:"+sealer.Name("slot"))
	}
	return slots
}

func readSlot(reply []any) (int, string, bool) {
	if len(reply) != 2 {
		return 0, "", false
	}
	i, ok := reply[0].(int64)
	value, text := reply[1].(string)
	return int(i), value, ok && text
}

// outage is the fault for err, with which Redis failed while doing was done.
func outage(ctx context.Context, doing string, err error) error {
	return redisdb.Unavailable(ctx, "access: "+doing, err)
}

// readFailure returns the first error of reads other than redis.Nil, as an outage.
func readFailure(ctx context.Context, doing string, reads ...redis.Cmder) error {
	for _, read := range reads {
		if err := read.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return outage(ctx, doing, err)
		}
	}
	return nil
}

// texts returns the strings of a reply; "" for what is no string.
func texts(reply any) []string {
	list, _ := reply.([]any)
	out := make([]string, len(list))
	for i, one := range list {
		out[i], _ = one.(string)
	}
	return out
}

// seconds returns d in whole seconds.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
