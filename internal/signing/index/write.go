package index

import (
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

const (
	// life limits how long the index outlives its last full sweep. listLife limits the
	// same for a list, and is longer so that no list expires while the index counts as
	// built.
	life     = 30 * 24 * time.Hour
	listLife = 40 * 24 * time.Hour
)

// writeScript changes one record and all the lists it is in, unless somebody wrote it
// after the counter stood at ARGV[1]; then it returns 0.
//
// KEYS: state, records, versions, the stream of ends, the missing packages, lists to leave,
// lists to join, people's news. ARGV: the counter, the name, "put", "drop", "tombstone" or
// "keep", the value, when the package was created in Unix seconds, how many lists to leave,
// the life of a list in seconds, now in milliseconds, how many lists to join, the life of
// news in seconds, the end that its owner is to be told of ("" for none), "found" if the
// platform has the package, a field and a value for each key of news ("" deletes the field),
// the fields of versions to count up.
//
// "drop" writes a tombstone if there was a record, "tombstone" always: it keeps a
// platform answer of before from being written.
var writeScript = redis.NewScript(`
local current = redis.call('HGET', KEYS[2], ARGV[2])
if current and tonumber(string.sub(current, 2, 16)) > tonumber(ARGV[1]) then return 0 end
local record, missing, state, now = ARGV[2], KEYS[5], KEYS[1], ARGV[8]
if ARGV[12] == 'found' then
` + access.RecordFoundLua + `
end
local verb, leave, there = ARGV[3], 5 + tonumber(ARGV[6]), current and #current > 16
local join, at = leave + tonumber(ARGV[9]), 13
if verb == 'drop' and not current then return 1 end
if verb == 'keep' then
  if ARGV[12] == 'found' and current and string.sub(current, 1, 1) == '1' then redis.call('HSET', KEYS[2], ARGV[2], '0' .. string.sub(current, 2)) end
  return 1
end
local revision = string.format('%016.0f', redis.call('HINCRBY', KEYS[1], 'counter', 1))
local place
if there then
  place = string.sub(current, 17, 33)
elseif verb == 'put' then
  local number = redis.call('HINCRBY', KEYS[1], 'number', 1) % 1048576
  place = string.format('%017.0f', tonumber(ARGV[5]) * 1048576 + number)
end
if verb == 'put' then
  redis.call('HSET', KEYS[2], ARGV[2], revision .. place .. ARGV[4])
  if not there then redis.call('HINCRBY', KEYS[1], 'size', 1) end
else
  redis.call('HSET', KEYS[2], ARGV[2], revision)
  if there then redis.call('HINCRBY', KEYS[1], 'size', -1) end
end
for i = 6, join do
  if i <= leave then
    redis.call('ZREM', KEYS[i], ARGV[2])
  else
    redis.call('ZADD', KEYS[i], place, ARGV[2])
    redis.call('EXPIRE', KEYS[i], ARGV[7])
  end
end
for i = join + 1, #KEYS do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', KEYS[i], ARGV[at])
  else
    redis.call('HSET', KEYS[i], ARGV[at], ARGV[at + 1])
    redis.call('EXPIRE', KEYS[i], ARGV[10])
  end
  at = at + 2
end
if ARGV[11] ~= '' then
  redis.call('XADD', KEYS[4], '*', 'end', ARGV[11])
  redis.call('EXPIRE', KEYS[4], ARGV[7])
end
for i = at, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[i], 1) end
return 1`)
