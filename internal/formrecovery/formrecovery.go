// Package formrecovery stores forms submitted after the session ended, for the same user only.
//
// A page's ticket identifies the person of the form: it contains, sealed, the person who
// was shown the page, and when. A ticket is valid for as long as a session may last,
// but not after End. So a thief's old page stores nothing, and nobody fills Redis in
// another's name: a person has at most 20 forms of 48 KiB, and the oldest is dropped
// first.
//
// For each person, Redis holds under an HMAC of their id: the end of their tickets, the
// marks of their forms by time, and the sealed forms. All of it expires a day after the
// last form was kept; the end of tickets stays until every ticket that it ends has
// expired.
package formrecovery

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

const (
	// maxForm limits a form's bytes of JSON, maxForms the forms of a person.
	maxForm  = 48 << 10
	maxForms = 20
	// formLife limits how long a form is kept.
	formLife = 24 * time.Hour
)

// Options configure a Store. All of them are required.
type Options struct {
	// Redis is a client that never sends a script twice, such as redisdb's.
	Redis redis.Cmdable
	Keys  seal.Keys
	// Lifetime is the longest life of a session, and so of a ticket.
	Lifetime time.Duration
	Now      func() time.Time
}

// Store keeps forms. It is safe for concurrent use.
type Store struct {
	redis    redis.Cmdable
	sealer   seal.Sealer
	lifetime time.Duration
	now      func() time.Time
}

// New makes a Store.
func New(o Options) *Store {
	return &Store{redis: o.Redis, sealer: o.Keys.For("countersign form recovery"), lifetime: o.Lifetime, now: o.Now}
}

// ticketAbout is the additional data under a ticket's seal.
var ticketAbout = []byte("ticket")

// Ticket returns a ticket for a page that is shown to person now.
func (s *Store) Ticket(person string) string {
	plain := strconv.FormatInt(s.now().UnixMilli(), 10) + " " + person
	return base64.RawURLEncoding.EncodeToString(s.sealer.Seal([]byte(plain), ticketAbout))
}

// open returns the person who was shown the page with the ticket, and the time in
// milliseconds; ok is false for an invalid or expired ticket.
func (s *Store) open(ticket string) (person string, shown int64, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil {
		return "", 0, false
	}
	plain, ok := s.sealer.Open(sealed, ticketAbout)
	at, person, _ := strings.Cut(string(plain), " ")
	shown, err = strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || person == "" || s.now().Sub(time.UnixMilli(shown)) >= s.lifetime {
		return "", 0, false
	}
	return person, shown, true
}

// keepScript keeps a form unless its ticket is older than the end of the person's
// tickets, and drops the oldest forms beyond ARGV[5].
//
// KEYS: the end of tickets, marks, forms. ARGV: the time of the page and the time now in
// milliseconds, the mark, the form, the limit of forms, their life in seconds.
var keepScript = redis.NewScript(`
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
local beyond = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[5])
if beyond > 0 then
  for _, mark in ipairs(redis.call('ZRANGE', KEYS[2], 0, beyond - 1)) do
    redis.call('ZREM', KEYS[2], mark)
    redis.call('HDEL', KEYS[3], mark)
  end
end
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('EXPIRE', KEYS[3], ARGV[6])
return 1`)

// Keep keeps the typed values for the ticket's person, and returns the form's mark. The
// mark is "" if the ticket is invalid or ended, or the form too large. The same form has
// the same mark. The error is an outage.
func (s *Store) Keep(ctx context.Context, ticket string, typed map[string]string) (mark string, err error) {
	person, shown, ok := s.open(ticket)
	text, err := json.Marshal(typed, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || !ok || len(text) > maxForm {
		return "", err
	}
	sum := sha256.Sum256(text)
	mark = hex.EncodeToString(sum[:])
	sealed := s.sealer.Seal(text, about(person, mark))
	kept, err := keepScript.Run(ctx, s.redis, s.keys(person), shown, s.now().UnixMilli(), mark, sealed, maxForms, int(formLife.Seconds())).Bool()
	if err != nil {
		return "", redisdb.Unavailable(ctx, "formrecovery: keep a form", err)
	}
	if !kept {
		return "", nil
	}
	return mark, nil
}

// Find returns the person's form with this mark, or nil. The error is an outage.
func (s *Store) Find(ctx context.Context, person, mark string) (typed map[string]string, err error) {
	if len(mark) != hex.EncodedLen(sha256.Size) {
		return nil, nil
	}
	sealed, err := s.redis.HGet(ctx, s.keys(person)[2], mark).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, redisdb.Unavailable(ctx, "formrecovery: find a form", err)
	}
	text, ok := s.sealer.Open([]byte(sealed), about(person, mark))
	if !ok {
		return nil, nil
	}
	return typed, json.Unmarshal(text, &typed, jsontext.AllowInvalidUTF8(true))
}

// Forget drops the person's form with this mark, whose content has been sent since. The
// error is an outage.
func (s *Store) Forget(ctx context.Context, person, mark string) error {
	keys := s.keys(person)
	p := s.redis.TxPipeline()
	p.ZRem(ctx, keys[1], mark)
	p.HDel(ctx, keys[2], mark)
	if _, err := p.Exec(ctx); err != nil {
		return redisdb.Unavailable(ctx, "formrecovery: forget a form", err)
	}
	return nil
}

// End ends every ticket issued to the person so far, and drops their forms. The error is
// session.unavailable, because ending tickets is part of ending sessions.
func (s *Store) End(ctx context.Context, person string) error {
	keys := s.keys(person)
	p := s.redis.TxPipeline()
	p.Set(ctx, keys[0], s.now().UnixMilli(), s.lifetime)
	p.Del(ctx, keys[1], keys[2])
	if _, err := p.Exec(ctx); err != nil {
		return redisdb.UnavailableAs(ctx, fault.SessionUnavailable, "formrecovery: end the forms of a person", err)
	}
	return nil
}

// keys returns the Redis keys of the end of the person's tickets, of their marks and of
// their forms, in one slot of a cluster.
func (s *Store) keys(person string) []string {
	of := "cs:forms:{" + s.sealer.Name("person "+person) + "}:"
	return []string{of + "end", of + "marks", of + "forms"}
}

// about returns the additional data that ties a sealed form to its person and its mark.
func about(person, mark string) []byte { return []byte("form " + mark + " " + person) }
