package access

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// missedApart is the time between the two misses by which a record counts as gone, and
	// the age that a record has at its first one: the platform may answer behind its own
	// writes, and a wrong setting of a minute is put right.
	missedApart = 2 * time.Minute
	// missedWithin limits the time between these two.
	missedWithin = 24 * time.Hour
	// manyMissed is how many records, missed since the platform had any, tell of the
	// platform and not of them: of another tenant, or another service at its address.
	manyMissed = 3
)

// Missing returns the key of the records that the platform says it does not have, by the
// time of the first such answer.
func (s *Namespace) Missing() string { return s.Prefix + "missing" }

// missingScript notes that the platform does not have a record, and returns 1 if it is
// gone for good.
//
// KEYS: the missing records, the state. ARGV: the record's name, now, missedApart and
// missedWithin in milliseconds, manyMissed.
var missingScript = redis.NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (ARGV[2] - ARGV[4]))
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local found = redis.call('HGET', KEYS[2], 'found')
if ARGV[2] - redis.call('ZSCORE', KEYS[1], ARGV[1]) < tonumber(ARGV[3]) then return 0 end
if redis.call('ZCOUNT', KEYS[1], found and '(' .. found or '-inf', '+inf') >= tonumber(ARGV[5]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return 1`)

// RecordMissing notes that the platform has just said that it does not have a record of the index,
// which was created at that time, and reports whether the record is to be dropped: the
// platform said so twice, minutes apart, and not of many records in a row. The error is an
// outage.
func (x *Namespaces) RecordMissing(ctx context.Context, s *Namespace, record string, created, now time.Time) (bool, error) {
	if age := now.Sub(created); age >= 0 && age < missedApart {
		return false, nil
	}
	gone, err := missingScript.Run(ctx, x.Redis, []string{s.Missing(), s.State()},
		record, now.UnixMilli(), missedApart.Milliseconds(), missedWithin.Milliseconds(), manyMissed).Bool()
	if err != nil {
		return false, Outage(ctx, "note a missing record", err)
	}
	return gone, nil
}

// RecordFoundLua is the part of a script that notes that the platform has a record: it needs the
// locals missing and state, which are keys, record, the record's name, and now, the time in
// milliseconds.
const RecordFoundLua = `
if redis.call('EXISTS', missing) == 1 then
  redis.call('ZREM', missing, record)
  redis.call('HSET', state, 'found', now)
end
`

// RecordFound notes that the platform has these records. The error is an outage.
func (x *Namespaces) RecordFound(ctx context.Context, s *Namespace, now time.Time, records ...string) error {
	p := x.Redis.Pipeline()
	members := make([]any, len(records))
	for i, name := range records {
		members[i] = name
	}
	p.ZRem(ctx, s.Missing(), members...)
	p.HSet(ctx, s.State(), "found", now.UnixMilli())
	if _, err := p.Exec(ctx); err != nil {
		return Outage(ctx, "note what the platform has", err)
	}
	return nil
}
