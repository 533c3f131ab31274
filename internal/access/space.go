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

// Namespaces finds the space of one index in Redis.
type Namespaces struct {
	Redis redis.Cmdable
	// Keys are ACCESS_KEYS: the first one seals, every one opens.
	Keys seal.Keys
	// Tag begins every key in Redis.
	Tag string
	// Format names the form of records; another name begins another index.
	Format string
	// Life is the life of the index's own key from its last renewal.
	Life time.Duration

	known atomic.Pointer[Namespace]
}

// Namespace is one index in Redis: its own key, and with it the names and seals of its
// records. After Redis was emptied, another space begins.
type Namespace struct {
	// Sealer derives the names and seals the records.
	Sealer seal.Sealer
	// Prefix begins every key but Slot. Slot is the key that holds the index's own key,
	// and Sealed that value.
	Prefix, Slot, Sealed string

	generation uint64 // of ACCESS_KEYS
}

// List identifies a sorted set of records by Of, a person's relation to the records, and
// Bucket, a part of them. The records that a person may see are in a few such lists.
type List struct{ Of, Bucket string }

// State returns the key of the index's counters.
func (s *Namespace) State() string { return s.Prefix + "state" }

// Records returns the key of the records.
func (s *Namespace) Records() string { return s.Prefix + "records" }

// List returns the key of a list.
func (s *Namespace) List(l List) string {
	return s.Prefix + "l:" + s.Sealer.Name("list "+l.Of+"\x00"+l.Bucket)
}

// Invalidate forgets s, which is no longer the space in Redis.
func (x *Namespaces) Invalidate(s *Namespace) { x.known.CompareAndSwap(s, nil) }

// WithNamespace calls read with the space that Redis holds. read returns the value that it
// found at the space's slot, and is called again with the new space if that value is not
// the space's own.
func (x *Namespaces) WithNamespace(ctx context.Context, read func(*Namespace) (current string, err error)) error {
	for {
		s, err := x.Space(ctx)
		if err != nil {
			return err
		}
		current, err := read(s)
		if err != nil || current == s.Sealed {
			return err
		}
		x.Invalidate(s)
	}
}

// Known returns the space that this node knows; false before the first call of Space, and
// before the first one after other keys.
func (x *Namespaces) Known() (*Namespace, bool) {
	known := x.known.Load()
	return known, known != nil && known.generation == x.Keys.Generation()
}

// Space returns the space that this node knows, after finding it on the first call. The
// error is an outage.
func (x *Namespaces) Space(ctx context.Context) (*Namespace, error) {
	if known, ok := x.Known(); ok {
		return known, nil
	}
	s, err := x.findSpace(ctx)
	if err != nil {
		return nil, Outage(ctx, "find the index", err)
	}
	return s, nil
}

// findKeyScript returns the value of the first key of KEYS that exists, and its number.
// If none exists, it stores ARGV[1] at the first.
var findKeyScript = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value then return {i, value} end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {1, ARGV[1]}`)

// findSpace finds the index's own key under one of ACCESS_KEYS, and creates it if there
// is none. A key found under a later one is stored under the first one too, so that
// ACCESS_KEYS can rotate while the index stays.
func (x *Namespaces) findSpace(ctx context.Context) (*Namespace, error) {
	generation, sealers := x.Keys.Generation(), x.slotSealers()
	slots := x.slotsOf(sealers)
	own := make([]byte, seal.KeyLength)
	_, _ = rand.Read(own) // never fails: crypto/rand ends the program first
	fresh := sealers[0].Seal(own, []byte(slots[0]))
	reply, err := findKeyScript.Run(ctx, x.Redis, slots, fresh, Seconds(x.Life)).Slice()
	if err != nil {
		return nil, err
	}
	i, value, ok := readSlot(reply)
	if !ok || i < 1 || i > len(slots) {
		return nil, errors.New("an unexpected reply")
	}
	plain, ok := sealers[i-1].Open([]byte(value), []byte(slots[i-1]))
	if !ok { // none of ACCESS_KEYS sealed it: the index is lost and begins again
		if err := x.Redis.Del(ctx, slots[i-1]).Err(); err != nil {
			return nil, fmt.Errorf("give a broken one up: %w", err)
		}
		return x.findSpace(ctx)
	}
	if i > 1 {
		value = string(sealers[0].Seal(plain, []byte(slots[0])))
		if err := x.Redis.SetNX(ctx, slots[0], value, x.Life).Err(); err != nil {
			return nil, fmt.Errorf("put it under the first key: %w", err)
		}
		return x.findSpace(ctx)
	}
	keys, err := seal.New(plain)
	if err != nil {
		return nil, err
	}
	sealer := keys.For("access index of " + x.Format)
	found := &Namespace{
		Sealer: sealer, Prefix: x.Tag + sealer.Name("index")[:8] + ":", Sealed: value, Slot: slots[0],
		generation: generation,
	}
	x.known.Store(found)
	return found, nil
}

// slotSealers returns the sealers of the index's own key, one for each of ACCESS_KEYS.
func (x *Namespaces) slotSealers() (sealers []seal.Sealer) {
	for _, key := range x.Keys.Each() {
		sealers = append(sealers, key.For("countersign access index key"))
	}
	return sealers
}

// Slots returns the keys at which the index's own key may be, one for each of
// slotSealers.
func (x *Namespaces) Slots() []string { return x.slotsOf(x.slotSealers()) }

func (x *Namespaces) slotsOf(sealers []seal.Sealer) (slots []string) {
	for _, sealer := range sealers {
		slots = append(slots, x.Tag+"key:"+sealer.Name("slot"))
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

// Outage returns the fault for err, an error of Redis while doing what doing says.
func Outage(ctx context.Context, doing string, err error) error {
	return redisdb.Unavailable(ctx, "access: "+doing, err)
}

// ReadFailure returns the first error of reads other than redis.Nil, as an outage.
func ReadFailure(ctx context.Context, doing string, reads ...redis.Cmder) error {
	for _, read := range reads {
		if err := read.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return Outage(ctx, doing, err)
		}
	}
	return nil
}

// Texts returns the strings of a reply; "" for an element that is no string.
func Texts(reply any) []string {
	list, _ := reply.([]any)
	out := make([]string, len(list))
	for i, one := range list {
		out[i], _ = one.(string)
	}
	return out
}

// Seconds returns d in whole seconds.
func Seconds(d time.Duration) int64 { return int64(d / time.Second) }
