package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"countersign/internal/fault"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"
)

// A record is something that belongs to a session and is finished once: a ceremony
// or a pending sign-in. It is sealed as the state is, and lives until its expiry;
// spent, it leaves a tombstone until then.

// The kinds of records; a record's name is its kind and the SHA-256 of what it is
// found by.
const (
	ceremonyKind = "c:"
	pendingKind  = "p:"
)

func recordName(kind string, by []byte) string {
	sum := sha256.Sum256(by)
	return kind + encode(sum[:])
}

// tombstone stands where a record was that has been spent. No sealed record is that
// short.
const tombstone = "spent"

// Outcome is what became of an attempt to spend.
type Outcome int

// Nothing that this session may spend, or what it was: spent before, or found and
// spent with this very attempt.
const (
	Unknown Outcome = iota
	Spent
	Found
)

// addScript adds a record to a session. ARGV: record, its milliseconds to live, its
// expiry in Unix milliseconds, its name, now in Unix milliseconds, the session's last
// use, its milliseconds to live. It returns 0 when the session is over, 2 when there
// is a tombstone in the place, and 1 when it is done.
var addScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('GET', KEYS[2]) == 'spent' then return 2 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[3], ARGV[2]) end
redis.call('SETRANGE', KEYS[1], 8, ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return 1`)

// add gives sess a record of kind, to be found by by. It lives until expiry, and at
// most as long as its kind may, which is also what a zero expiry means. Adding counts
// as a use of the session, so that a pre-session outlives what is begun in it.
func (s *Store) add(ctx context.Context, sess *Session, doing, kind string, by []byte, record any, expiry time.Time) error {
	now, name := s.now(), recordName(kind, by)
	if last := now.Add(s.lives[kind]); expiry.IsZero() || expiry.After(last) {
		expiry = last
	}
	if !expiry.After(now) {
		return nil // over before it began: to be found unknown
	}
	sealed, err := s.sealRecord(sess, name, record, expiry)
	if err != nil {
		return err
	}
	ctx, cancel := whole(ctx)
	defer cancel()
	reply, err := addScript.Run(ctx, s.redis, recordKeys(sess, name),
		sealed, max(1, expiry.Sub(now).Milliseconds()), expiry.UnixMilli(), name, now.UnixMilli(),
		milliseconds(now), s.lifeLeft(sess, now).Milliseconds()).Int()
	switch {
	case err != nil:
		return outage(ctx, doing, err)
	case reply == 0:
		return ended(doing)
	case reply == 2: // what is spent stays spent, even if the platform says the same again
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("session: %s: the platform repeats what it said before", doing))
	}
	sess.touched = now
	return nil
}

func recordKeys(sess *Session, name string) []string {
	return []string{sess.tag.session(), sess.tag.record(name), sess.tag.index()}
}

// spendScript swaps a record for its tombstone and returns what it was: nothing, a
// tombstone or the record. Without its session there is none.
var spendScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local record = redis.call('GET', KEYS[2])
if record and record ~= 'spent' then redis.call('SET', KEYS[2], 'spent', 'KEEPTTL') end
return record`)

// spend spends the record of sess called name, and fills in record with it when it
// was Found. It happens once over all tries on all nodes. When the answer is lost it
// has happened or not, and the error says so: to try again could only find Spent.
func (s *Store) spend(ctx context.Context, sess *Session, doing, name string, record any) (time.Time, Outcome, error) {
	ctx, cancel := whole(ctx)
	defer cancel()
	value, err := spendScript.Run(ctx, s.redis, recordKeys(sess, name)[:2]).Text()
	switch {
	case errors.Is(err, redis.Nil):
		return time.Time{}, Unknown, nil
	case err != nil:
		return time.Time{}, Unknown, outage(ctx, doing, err)
	case value == tombstone:
		return time.Time{}, Spent, nil
	}
	expiry, ok := s.openRecord(sess, name, []byte(value), record)
	if !ok {
		return time.Time{}, Unknown, nil
	}
	return expiry, Found, nil
}

// peek fills in record with that of sess called name, and spends nothing; false when
// there is none to spend.
func (s *Store) peek(ctx context.Context, sess *Session, doing, name string, record any) (time.Time, bool, error) {
	value, err := s.redis.Get(ctx, sess.tag.record(name)).Bytes()
	if errors.Is(err, redis.Nil) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, outage(ctx, doing, err)
	}
	expiry, ok := s.openRecord(sess, name, value, record)
	return expiry, ok, nil
}

// sealRecord seals a record with its expiry, for its session and its name alone.
func (s *Store) sealRecord(sess *Session, name string, record any, expiry time.Time) ([]byte, error) {
	plain, err := cbor.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("session: encode a record: %w", err)
	}
	return s.keys.seal(sess.token, append(milliseconds(expiry), plain...), []byte(name))
}

// openRecord undoes sealRecord; false when the record is no such thing, or over.
func (s *Store) openRecord(sess *Session, name string, sealed []byte, record any) (time.Time, bool) {
	plain, ok := s.keys.open(sess.token, sealed, []byte(name))
	if !ok || len(plain) < 8 {
		return time.Time{}, false
	}
	expiry := time.UnixMilli(int64(binary.BigEndian.Uint64(plain))).UTC()
	if !expiry.After(s.now()) {
		return time.Time{}, false
	}
	return expiry, cbor.Unmarshal(plain[8:], record) == nil
}
