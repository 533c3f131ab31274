package events

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
)

// revisionLife limits how long a topic's number is kept after its last change.
const revisionLife = 24 * time.Hour

// Revisions numbers the contents of topics: a changed content gets a greater number, the
// same on all nodes, even after everything restarts. The number tells when the content
// was first seen, and nothing about the content.
type Revisions struct {
	// Redis keeps the last number of each topic.
	Redis redis.Cmdable
	// Key is a secret of any length that keeps topics and contents unreadable in Redis.
	Key []byte
	// Now is the clock.
	Now func() time.Time
}

// revise returns the number of a topic. ARGV: the mark of its content, the present Unix
// time in milliseconds, and for how many milliseconds the number is kept. A forgotten
// number is smaller than the present time.
var revise = redis.NewScript(`
local kept = redis.call('GET', KEYS[1])
local number = 0
if kept then
  local space = string.find(kept, ' ', 1, true)
  number = tonumber(string.sub(kept, 1, space - 1))
  if string.sub(kept, space + 1) == ARGV[1] then return number end
end
number = math.max(number + 1, tonumber(ARGV[2]))
redis.call('SET', KEYS[1], string.format('%.0f', number) .. ' ' .. ARGV[1], 'PX', ARGV[3])
return number`)

// Of returns the number of the topic with that content.
func (r Revisions) Of(ctx context.Context, topic string, content []byte) (int64, error) {
	key := "cs:events:revision:" + r.name("topic", []byte(topic))
	number, err := revise.Run(ctx, r.Redis, []string{key},
		r.name("content of "+topic, content), r.Now().UnixMilli(), revisionLife.Milliseconds()).Int64()
	if err != nil {
		return 0, redisdb.Unavailable(ctx, "events: revision", err)
	}
	return number, nil
}

// name returns a name for a text of that kind, which cannot be guessed without the key.
func (r Revisions) name(kind string, text []byte) string {
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(kind + "\x00"))
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
