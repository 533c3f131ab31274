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

// record is what is known of a key. The zero record is that of a key never used.
type record struct {
	// Digest is a MAC of the key's request, so that nobody finds out by trying what it
	// said; nil until the platform is about to have it.
	Digest []byte
	// Mark is what was made bears at the platform.
	Mark string
	// SentAt is when the request was sent first. Until then, UntilAt, what was sent
	// last may take effect.
	SentAt, UntilAt time.Time
	// Answer is nil while none is kept.
	Answer *Answer

	name   string // of the key in Redis
	by     int    // which key of the store names it
	sealed []byte // as it stands there; nil for none
}

func (r record) sent() bool     { return r.Digest != nil }
func (r record) answered() bool { return r.Answer != nil }

// keyOf is the key in Redis of a record's name. Records spread over a cluster by
// themselves.
func keyOf(name string) string { return "idempotency:" + name }

// load reads the record that has one of names, by the first that has one.
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

// mac is the digest of a record's request as the record has it.
func (s *Store) mac(of record, digest []byte) []byte {
	return []byte(s.names[of.by].Name("request " + string(digest)))
}

// swapRecord puts a value in the place of another, or of none (""); "" leaves none there.
// Running it twice does no harm.
var swapRecord = redis.NewScript(`
local there = redis.call('GET', KEYS[1]) or ''
if there ~= ARGV[1] and there ~= ARGV[2] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1`)

// swap puts next in the place of old, for another 24 hours. It is false when something
// else has taken old's place.
func (s *Store) swap(ctx context.Context, old, next record) (now record, ok bool, err error) {
	plain, err := json.Marshal(next)
	if err != nil {
		return record{}, false, fmt.Errorf("idempotency: write a record: %w", err)
	}
	next.name, next.by, next.sealed = old.name, old.by, s.sealer.Seal(plain, []byte(old.name))
	ok, err = s.exchange(ctx, old, next.sealed)
	return next, ok, err
}

// drop forgets a record, unless something else has taken its place.
func (s *Store) drop(ctx context.Context, r record) error {
	_, err := s.exchange(ctx, r, nil)
	return err
}

// exchange has sealed stand where old did, nil for nothing.
func (s *Store) exchange(ctx context.Context, old record, sealed []byte) (ok bool, err error) {
	ok, err = swapRecord.Run(ctx, s.redis, []string{keyOf(old.name)}, old.sealed, sealed, keptFor.Milliseconds()).Bool()
	if err != nil {
		return false, redisdb.Unavailable(ctx, "idempotency: write a record", err)
	}
	return ok, nil
}
