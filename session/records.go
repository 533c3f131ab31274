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

// Record is something that belongs to a session and is finished once: a ceremony
// under way, a sign-in that waits for the person's device. It is kept as CBOR,
// sealed as the state is, until its expiry; spent, it leaves a tombstone until then.
type Record interface {
	// RecordKey returns what the record is found by: the kind of record, a few
	// letters, and a key that no other of that kind has.
	RecordKey() (kind string, key []byte)
	// RecordExpiry returns where the record keeps its expiry. It is read by Begin, and
	// filled in by Spend and Peek; CBOR leaves it out.
	RecordExpiry() *time.Time
	// Missing returns the error of a record that is not there; spent says that it was.
	Missing(spent bool) error
}

// recordName is the name of rec below its session: its kind, and the SHA-256 of its
// key.
func recordName(rec Record) string {
	kind, key := rec.RecordKey()
	sum := sha256.Sum256(key)
	return kind + ":" + encode(sum[:])
}

// tombstone takes the place of a record that was spent. No sealed record is that short.
const tombstone = "spent"

// addRecordScript adds a record to a session. ARGV: record, its milliseconds to live, its
// expiry in Unix milliseconds, its name, now in Unix milliseconds, the session's last
// use, its milliseconds to live. It returns 0 when the session is over, 2 when there
// is a tombstone in the place, and 1 when it is done.
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

// Begin keeps rec under the session until its expiry, Options.RecordTTL from now at
// most and where it names none. It counts as a use of the session, so that a
// pre-session outlives what is begun in it. The error is fault.SessionRequired when
// the session has ended meanwhile, and fault.PlatformFailed when a record of this key
// was spent in it before; any other is an outage.
func (s *Store) Begin(ctx context.Context, sess *Session, rec Record) error {
	now, name, expiry := s.now(), recordName(rec), *rec.RecordExpiry()
	if last := now.Add(s.recordTTL); expiry.IsZero() || expiry.After(last) {
		expiry = last
	}
	if !expiry.After(now) {
		return nil // over before it began: it is not found
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

// spendScript swaps a record for its tombstone and returns what it was: nothing, a
// tombstone or the record. Without its session there is none. What is spent stays spent, so
// that it may be repeated.
var spendScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local record = redis.call('GET', KEYS[2])
if record and record ~= 'spent' then redis.call('SET', KEYS[2], 'spent', 'KEEPTTL') end
return record`)

// Spend fills in rec, of which the key is known, and spends it: exactly once over all
// tries on all nodes, before anything is verified. The error is rec.Missing where the
// session has no such record, which is so for a nil session too, or has it no longer.
// Any other is an outage after which one starts again (fault.Error.Restart): the record
// may have been spent, and nobody got it.
func (s *Store) Spend(ctx context.Context, sess *Session, rec Record) error {
	if sess == nil {
		return rec.Missing(false)
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	keys := recordKeys(sess, recordName(rec))[:2]
	value, err := spendScript.Run(ctx, s.redis, keys).Text()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fault.From(outage(ctx, "spend a record", err)).Restart()
	}
	if value != "" && value != tombstone {
		s.repeats.Keep(spendScript, keys...)
	}
	return s.openRecord(sess, rec, value)
}

// Peek fills in rec, of which the key is known, and spends nothing. The error is
// rec.Missing as with Spend; any other is an outage.
func (s *Store) Peek(ctx context.Context, sess *Session, rec Record) error {
	if sess == nil {
		return rec.Missing(false)
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

// openRecord fills in rec from its value in Redis; rec.Missing where that is none, a
// tombstone, not what sealRecord made, or over.
func (s *Store) openRecord(sess *Session, rec Record, value string) error {
	plain, ok := s.sealer(sess.token).Open([]byte(value), []byte(recordName(rec)))
	if !ok || len(plain) < 8 {
		return rec.Missing(value == tombstone)
	}
	expiry := time.UnixMilli(int64(binary.BigEndian.Uint64(plain))).UTC()
	if !expiry.After(s.now()) || cbor.Unmarshal(plain[8:], rec) != nil {
		return rec.Missing(false)
	}
	*rec.RecordExpiry() = expiry
	return nil
}
