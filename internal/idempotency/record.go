package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
)

// record is the stored state of a key. The zero record belongs to a key never used.
type record struct {
	// Digest is a MAC of the key's request, so that its content cannot be found by
	// guessing; nil until just before the platform gets the request whole.
	Digest []byte
	// Mark is the mark that the created object carries at the platform.
	Mark string
	// SentAt is the time of the first sending. UntilAt is the time until which the last
	// sending may take effect.
	SentAt, UntilAt time.Time
	// Answer is nil until an answer is kept.
	Answer *Answer

	name   string // of the key in Redis
	by     int    // index of the store's key that made the name
	sealed []byte // the stored bytes; nil without a stored record
}

func (r record) sent() bool     { return r.Digest != nil }
func (r record) answered() bool { return r.Answer != nil }

// keyOf returns the Redis key of a record's name. Without a hash tag, records spread over
// a cluster.
func keyOf(name string) string { return "cs:idempotency:" + name }

// load reads the record stored under the first of names that has one.
func (s *Store) load(ctx context.Context, names []string) (record, error) {
	found := make([]*redis.StringCmd, len(names))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, name := range names {
			found[i] = p.Get(ctx, keyOf(name))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return record{}, redisdb.Unavailable(ctx, "idempotency: load", err)
	}
	for i, name := range names {
		sealed, err := found[i].Bytes()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			return record{}, redisdb.Unavailable(ctx, "idempotency: load", err)
		}
		r, err := s.open(name, sealed)
		r.by = i
		return r, err
	}
	return record{name: names[0], Mark: names[0]}, nil
}

func (s *Store) open(name string, sealed []byte) (record, error) {
	r := record{name: name, sealed: sealed}
	plain, ok := s.sealer.Open(sealed, []byte(name))
	if !ok {
		return record{}, fmt.Errorf("idempotency: the record %s does not open", name)
	}
	if err := json.Unmarshal(plain, &r); err != nil {
		return record{}, fmt.Errorf("idempotency: read the record %s: %w", name, err)
	}
	return r, nil
}

// swapRecord replaces one value by another; "" stands for no value on either side. What is
// not there at all is written all the same: a failover has forgotten it, and the caller that knows
// what was sent says so again. Running it twice does no harm.
var swapRecord = redis.NewScript(`
local there = redis.call('GET', KEYS[1]) or ''
if there ~= '' and there ~= ARGV[1] and there ~= ARGV[2] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1`)

// swap replaces old by next for as long as keys are remembered; ok is false if another has replaced old.
func (s *Store) swap(ctx context.Context, old, next record) (now record, ok bool, err error) {
	plain, err := json.Marshal(next)
	if err != nil {
		return record{}, false, fmt.Errorf("idempotency: write a record: %w", err)
	}
	next.name, next.by, next.sealed = old.name, old.by, s.sealer.Seal(plain, []byte(old.name))
	ok, err = s.exchange(ctx, old, next.sealed)
	return next, ok, err
}

// exchange replaces old by sealed, or deletes it if sealed is nil; ok is false if another
// has replaced old.
func (s *Store) exchange(ctx context.Context, old record, sealed []byte) (ok bool, err error) {
	ok, err = swapRecord.Run(ctx, s.redis, []string{keyOf(old.name)}, old.sealed, sealed, s.keep.Milliseconds()).Bool()
	if err != nil {
		return false, redisdb.Unavailable(ctx, "idempotency: write a record", err)
	}
	return ok, nil
}
