package session

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// resealedRecord is a record sealed for another session.
type resealedRecord struct {
	pointer
	value []byte
}

// reseal reads the records of old and seals them for sess, which continues old.
// Tombstones are copied too, so that spent records stay spent. The session of old has
// been taken: its records no longer change.
func (s *Store) reseal(ctx context.Context, old, sess *Session, records []pointer) ([]resealedRecord, error) {
	if len(records) == 0 {
		return nil, nil
	}
	keys := make([]string, len(records))
	for i, record := range records {
		keys[i] = old.tag.record(record.name)
	}
	values, err := s.redis.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, outage(ctx, "carry over", err)
	}
	opener, sealer := s.sealer(old.token), s.sealer(sess.token)
	var all []resealedRecord
	for i, value := range values {
		text, ok := value.(string)
		if !ok {
			continue // expired
		}
		moved := resealedRecord{pointer: records[i], value: []byte(text)}
		if text != tombstone {
			plain, ok := opener.Open(moved.value, []byte(moved.name))
			if !ok {
				continue
			}
			moved.value = sealer.Seal(plain, []byte(moved.name))
		}
		all = append(all, moved)
	}
	return all, nil
}

// addRecordsScript adds records that come from another session. ARGV: the index's
// milliseconds to live; then for each record its value, milliseconds to live, expiry
// and name.
var addRecordsScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 3, #KEYS do
  local at = 2 + (i - 3) * 4
  redis.call('SET', KEYS[i], ARGV[at], 'PX', ARGV[at + 1])
  redis.call('ZADD', KEYS[2], ARGV[at + 2], ARGV[at + 3])
end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1`)

// addRecords adds to sess the records that were sealed for it.
func (s *Store) addRecords(ctx context.Context, sess *Session, records []resealedRecord) error {
	now := s.now().UnixMilli()
	keys := []string{sess.tag.session(), sess.tag.index()}
	args := []any{s.recordTTL.Milliseconds()}
	for _, record := range records {
		if left := record.expiry - now; left > 0 {
			keys = append(keys, sess.tag.record(record.name))
			args = append(args, record.value, left, record.expiry, record.name)
		}
	}
	if len(args) == 1 {
		return nil
	}
	if err := addRecordsScript.Run(ctx, s.redis, keys, args...).Err(); err != nil {
		return outage(ctx, "carry over", err)
	}
	return nil
}
