package index

import (
	"context"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

// putScript writes or drops one record and updates the lists that it is in. It returns 0
// and changes nothing if the record is no longer as it was read.
//
// KEYS: slot, records, the pending erasures, the missing transactions, the state, lists to
// leave, lists to join. ARGV: the name, the
// record as read, the new record or "", the times of creation and of erasure in
// milliseconds, the number of lists to leave, the life of the keys in seconds, now in
// milliseconds.
var putScript = redis.NewScript(`
local record, missing, state, now = ARGV[1], KEYS[4], KEYS[5], ARGV[8]
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
` + access.RecordFoundLua + `
end
if ARGV[5] == '0' then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])
end
local leave = 5 + tonumber(ARGV[6])
for i = 6, #KEYS do
  if i <= leave then
    redis.call('ZREM', KEYS[i], ARGV[1])
  else
    redis.call('ZADD', KEYS[i], ARGV[4], ARGV[1])
    redis.call('EXPIRE', KEYS[i], ARGV[7])
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[7])
redis.call('EXPIRE', KEYS[2], ARGV[7])
redis.call('EXPIRE', KEYS[3], ARGV[7])
return 1`)

// Upsert writes the platform's answer about a transaction to the index. It asks for the result
// of a completed transaction until there is one. It runs to its end even if ctx is cancelled. The error is platform.failed or an
// outage.
func (t *Index) Upsert(ctx context.Context, body jsontext.Value) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	said, err := t.readTransaction(body, "")
	if err != nil {
		return err
	}
	return t.write(ctx, said, false)
}

// Refresh reads a transaction from the platform and calls Upsert, or Missing if the platform
// has none. It serves callbacks. The error is the platform's or an outage.
func (t *Index) Refresh(ctx context.Context, id string) error {
	body, err := t.platform.Transaction(ctx, id)
	if fault.Is(err, fault.RequestNotFound) {
		return t.Missing(ctx, id)
	}
	if err != nil {
		return err
	}
	return t.Upsert(ctx, body)
}

// Concluded writes the result of a transaction to the index: Undefined, Passed or Failed.
func (t *Index) Concluded(ctx context.Context, id, result string) error {
	return t.change(ctx, id, func(before *record) *record {
		if before == nil || before.Result == result {
			return before
		}
		next := *before
		next.Result, next.Updated = result, t.now().UnixMilli()
		return &next
	})
}

// Marked writes the time of a transaction's erasure to the index; the zero time removes
// it. A transaction whose time has come leaves the index and becomes an ErasedCheck.
func (t *Index) Marked(ctx context.Context, id string, at time.Time) error {
	if !at.IsZero() && !at.After(t.now()) {
		return t.drop(ctx, id, at)
	}
	return t.change(ctx, id, func(before *record) *record {
		if before == nil {
			return nil
		}
		next := *before
		next.ErasureAt, next.Updated = 0, t.now().UnixMilli()
		if !at.IsZero() {
			next.ErasureAt = at.UnixMilli()
		} else if next.Rule < ruled {
			next.Rule = ruled // its mark was taken back
		}
		return &next
	})
}

// KeepTrail keeps the platform's address of a transaction's audit trail, which has just
// been asked for.
func (t *Index) KeepTrail(ctx context.Context, id, address string) error {
	return t.change(ctx, id, func(before *record) *record {
		if before == nil {
			return nil
		}
		next := *before
		next.Trail, next.TrailAt = address, t.now().UnixMilli()
		return &next
	})
}

// trailWithin limits the time that the platform takes to make an audit trail.
const trailWithin = 10 * time.Minute

// Trail returns the platform's address of a transaction's audit trail, "" if none was
// asked for, and whether the platform may still be making it.
func (t *Index) Trail(ctx context.Context, id string) (address string, underWay bool, err error) {
	v, err := t.read(ctx, id)
	if err != nil || v.record == nil {
		return "", false, err
	}
	return v.record.Trail, t.now().Before(time.UnixMilli(v.record.TrailAt).Add(trailWithin)), nil
}

// Item returns a transaction as the index last saw it, and false if the index does not
// know it. The error is an outage.
func (t *Index) Item(ctx context.Context, id string) (Item, bool, error) {
	v, err := t.read(ctx, id)
	if err != nil || v.record == nil {
		return Item{}, false, err
	}
	return v.record.item(), true, nil
}

// Missing tells the index that the platform has just said that it does not have a
// transaction. One answer of that kind drops nothing: see access.Namespaces.RecordMissing. A transaction
// that is dropped and was marked for erasure becomes an ErasedCheck. The error is an outage.
func (t *Index) Missing(ctx context.Context, id string) error {
	ctx = context.WithoutCancel(ctx)
	v, err := t.read(ctx, id)
	if err != nil || v.record == nil {
		return err
	}
	gone, err := t.spaces.RecordMissing(ctx, v.space, v.name, utc(v.record.Created), t.now())
	if err != nil || !gone {
		return err
	}
	return t.drop(ctx, id, time.Time{})
}

// drop drops a transaction from the index. If it was erased, at the time erased or at the
// time that its record has, it becomes an ErasedCheck.
func (t *Index) drop(ctx context.Context, id string, erased time.Time) error {
	var was *record
	err := t.change(ctx, id, func(before *record) *record {
		was = before
		return nil
	})
	if err != nil || was == nil {
		return err
	}
	if now := t.now(); erased.IsZero() && was.ErasureAt != 0 {
		if erased = utc(was.ErasureAt); erased.After(now) {
			erased = now
		}
	}
	if erased.IsZero() {
		return nil
	}
	return t.keepErased(ctx, was, erased)
}

// keepErased remembers for a day that a transaction was erased, for those who had it in a list.
func (t *Index) keepErased(ctx context.Context, was *record, at time.Time) error {
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return err
	}
	whose := []string{everyTransaction}
	if was.Starter != "" {
		whose = append(whose, startedByUser(was.Starter))
	}
	p := t.spaces.Redis.TxPipeline()
	for _, of := range whose {
		key := s.List(access.List{Of: of, Bucket: erasedList})
		p.ZRemRangeByScore(ctx, key, "-inf", millis(t.now().Add(-erasedFor)))
		p.ZAdd(ctx, key, redis.Z{Score: float64(at.UnixMilli()), Member: s.Sealer.Seal([]byte(was.ID), []byte(key))})
		p.Expire(ctx, key, erasedFor)
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "remember an erased transaction", err)
	}
	return nil
}

// write writes the platform's answer to the index, with the result of a completed
// transaction. With known, it leaves out a transaction that the index does not have or no
// longer has: an answer from before its erasure must not bring it back.
func (t *Index) write(ctx context.Context, said record, known bool) error {
	result := ""
	return t.change(ctx, said.ID, func(before *record) *record {
		if known && before == nil {
			return nil
		}
		next := before.after(said, t.now())
		if next.Status == string(verification.Completed) && (next.Result == "" || next.Result == verification.Undefined) {
			if result == "" { // what cannot be asked now is asked the next time
				result, _ = t.platform.Result(ctx, said.ID)
			}
			next.Result = result
		}
		return &next
	})
}

// change replaces a record by the result of to, and tries again as long as others write
// the record meanwhile. A nil record is a missing one.
func (t *Index) change(ctx context.Context, id string, to func(*record) *record) error {
	for {
		v, err := t.read(ctx, id)
		if err != nil {
			return err
		}
		next := to(v.record)
		if next == v.record {
			return nil
		}
		if done, err := t.put(ctx, v, next); done || err != nil {
			return err
		}
	}
}

// put replaces the record that v read by next. It returns false if somebody else has
// written it meanwhile.
func (t *Index) put(ctx context.Context, v view, next *record) (bool, error) {
	sealed, created, erasure := "", int64(0), int64(0)
	if next != nil {
		plain, err := cbor.Marshal(next)
		if err != nil {
			return false, err
		}
		sealed, created, erasure = string(v.space.Sealer.Seal(plain, []byte(v.name))), next.Created, next.ErasureAt
	}
	leave, join := v.record.lists(), next.lists()
	keys := []string{v.space.Slot, v.space.Records(), erasures(v.space), v.space.Missing(), v.space.State()}
	for _, l := range append(leave, join...) {
		keys = append(keys, v.space.List(l))
	}
	done, err := putScript.Run(ctx, t.spaces.Redis, keys,
		v.name, v.sealed, sealed, created, erasure, len(leave), access.Seconds(life), t.now().UnixMilli()).Bool()
	if err != nil {
		return false, access.Outage(ctx, "write a transaction", err)
	}
	return done, nil
}

func erasures(s *access.Namespace) string { return s.Prefix + "erasures" }
