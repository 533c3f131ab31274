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

// Record is an object that belongs to a session and is finished once: a ceremony under
// way, or a sign-in that waits for the person's device. It is kept as CBOR until its
// expiry, sealed like the state; when spent, it leaves a tombstone until then.
type Record interface {
	// RecordKey returns the record's name: its kind, a few letters, and a key that is
	// unique within the kind.
	RecordKey() (kind string, key []byte)
	// RecordExpiry returns a pointer to the record's expiry. Put reads it, and Consume
	// and Peek fill it in; CBOR leaves it out.
	RecordExpiry() *time.Time
	// NotFound returns the error of an absent record; spent says that it was spent.
	NotFound(spent bool) error
}

// recordName returns the name of rec below its session: its kind, and the SHA-256 of its
// key.
func recordName(rec Record) string {
	kind, key := rec.RecordKey()
	sum := sha256.Sum256(key)
	return kind + ":" + encode(sum[:])
}

// tombstone replaces a spent record. No sealed record is that short.
const tombstone = "spent"

// addRecordScript adds a record to a session. ARGV: record, its milliseconds to live, its
// expiry in Unix milliseconds, its name, now in Unix milliseconds, the session's last
// use, its milliseconds to live. It returns 0 if the session is over, 2 if the key holds
// a tombstone, and 1 on success.
var addRecordScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('GET', KEYS[2]) == 'spent' then return 2 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[3], ARGV[2]) end
redis.call('SETRANGE', KEYS[1], 8, ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return 1`)

// Put keeps rec under the session until its expiry, but at most for Options.RecordTTL,
// which is also the default. It counts as a use of the session, so that a pre-session
// outlives the records begun in it. The error is fault.SessionRequired if the session has
// ended meanwhile, and fault.PlatformFailed if a record of this key was spent in it
// before; any other is an outage.
func (s *Store) Put(ctx context.Context, sess *Session, rec Record) error {
	now, name, expiry := s.now(), recordName(rec), *rec.RecordExpiry()
	if last := now.Add(s.recordTTL); expiry.IsZero() || expiry.After(last) {
		expiry = last
	}
	if !expiry.After(now) {
		return nil // expired before it began: it will not be found
	}
	sealed, err := s.sealRecord(sess, rec, expiry)
	if err != nil {
		return err
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	reply, err := addRecordScript.Run(ctx, s.redis, recordKeys(sess, name),
		sealed, max(1, expiry.Sub(now).Milliseconds()), expiry.UnixMilli(), name, now.UnixMilli(),
		milliseconds(now), s.lifeLeft(sess, now).Milliseconds()).Int()
	switch {
	case err != nil:
		return outage(ctx, "begin a record", err)
	case reply == 0:
		return ended("begin a record")
	case reply == 2: // what is spent stays spent, even if the platform says the same again
		return fault.Wrap(fault.PlatformFailed, errors.New("session: begin a record: the platform repeats what it said before"))
	}
	sess.touched = now
	return nil
}

func recordKeys(sess *Session, name string) []string {
	return []string{sess.tag.session(), sess.tag.record(name), sess.tag.index()}
}

// spendScript replaces a record by its tombstone and returns the former value: nothing, a
// tombstone or the record. Without its session there is no record. A spent record stays
// spent, so the script may be repeated.
var spendScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local record = redis.call('GET', KEYS[2])
if record and record ~= 'spent' then redis.call('SET', KEYS[2], 'spent', 'KEEPTTL') end
return record`)

// Consume fills in rec, whose key is known, and spends it: exactly once over all tries on
// all nodes, before anything is verified. The error is rec.Missing if the session has no
// such record (a nil session has none), or no longer has it. Any other is an outage after
// which the ceremony starts again (fault.Error.Restart), since the record may have been
// spent without an answer.
func (s *Store) Consume(ctx context.Context, sess *Session, rec Record) error {
	if sess == nil {
		return rec.NotFound(false)
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	keys := recordKeys(sess, recordName(rec))[:2]
	value, err := spendScript.Run(ctx, s.redis, keys).Text()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fault.From(outage(ctx, "spend a record", err)).Restart()
	}
	if value != "" && value != tombstone {
		s.repeats.Add(spendScript, keys...)
	}
	return s.openRecord(sess, rec, value)
}

// Peek fills in rec, whose key is known, without spending it. The error is rec.Missing as
// with Consume; any other is an outage.
func (s *Store) Peek(ctx context.Context, sess *Session, rec Record) error {
	if sess == nil {
		return rec.NotFound(false)
	}
	value, err := s.redis.Get(ctx, sess.tag.record(recordName(rec))).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return outage(ctx, "look for a record", err)
	}
	return s.openRecord(sess, rec, value)
}

// sealRecord seals rec with its expiry, for its session and its name alone.
func (s *Store) sealRecord(sess *Session, rec Record, expiry time.Time) ([]byte, error) {
	plain, err := cbor.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("session: encode a record: %w", err)
	}
	return s.sealer(sess.token).Seal(append(milliseconds(expiry), plain...), []byte(recordName(rec))), nil
}

// skew is how far the clocks of two nodes may be apart: Redis, which counts a record's
// life by its own clock, says when it expires. The expiry in the record only ends one that
// an old copy of Redis brought back.
const skew = 2 * time.Minute

// openRecord fills in rec from its value in Redis. It returns rec.Missing if the value is
// absent, a tombstone, not made by sealRecord, or expired.
func (s *Store) openRecord(sess *Session, rec Record, value string) error {
	plain, ok := s.sealer(sess.token).Open([]byte(value), []byte(recordName(rec)))
	if !ok || len(plain) < 8 {
		return rec.NotFound(value == tombstone)
	}
	expiry := time.UnixMilli(int64(binary.BigEndian.Uint64(plain))).UTC()
	if !expiry.Add(skew).After(s.now()) || cbor.Unmarshal(plain[8:], rec) != nil {
		return rec.NotFound(false)
	}
	*rec.RecordExpiry() = expiry
	return nil
}
