// Package ratelimit counts events in Redis and says when there were too many: one
// count for all nodes, by GCRA (redis_rate), so that a burst up to the limit passes
// and then one event at a time as old ones are forgotten.
//
// It knows no routes and answers nobody. Redis being away is server.unavailable: a
// limit that let everything pass while Redis is away would be a way around it.
package ratelimit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
)

// prefix is what redis_rate puts before every key; Refund has to know it. A count
// is one key, so Redis Cluster spreads the counts by themselves.
const prefix = "rate:"

// Limiter counts in one Redis.
type Limiter struct {
	client redis.UniversalClient
	rate   *redis_rate.Limiter
	key    []byte
}

// New makes a limiter over client, which must never send a script twice (that of
// redisdb does not). key is a secret of any length: it turns subjects into names, so
// that Redis does not tell who tried what from where.
func New(client redis.UniversalClient, key []byte) *Limiter {
	return &Limiter{client: client, rate: redis_rate.NewLimiter(client), key: key}
}

// Count is what one limit has counted for one subject.
type Count struct {
	// Name says what is limited, as "sign-in".
	Name string
	// Subject says for whom: a canonical user id, an address, both.
	Subject string
	Limit   Limit
}

// Allow takes one event. ok is false when there were too many, and then retryAfter
// is when the next would pass. The error is redisdb.Unavailable's.
func (l *Limiter) Allow(ctx context.Context, c Count) (retryAfter time.Duration, ok bool, err error) {
	if c.Limit == Off {
		return 0, true, nil
	}
	result, err := l.rate.Allow(ctx, l.name(c), c.Limit.rate)
	if err != nil {
		return 0, false, redisdb.Unavailable(ctx, "ratelimit: "+c.Name, err)
	}
	if result.Allowed == 0 {
		return result.RetryAfter, false, nil
	}
	return 0, true, nil
}

// Take is Allow for those who are refused what is too many: the error is then
// request.rate.
func (l *Limiter) Take(ctx context.Context, c Count) error {
	retryAfter, ok, err := l.Allow(ctx, c)
	if err == nil && !ok {
		err = fault.New(fault.RequestRate).After(retryAfter)
	}
	return err
}

// refund moves the count's theoretical arrival time (what redis_rate stores) back
// by one interval. The time to live tells how far it is from now, so that the script
// needs no clock; a count with nothing left in it goes.
var refund = redis.NewScript(`
local arrival = redis.call('GET', KEYS[1])
local interval = tonumber(ARGV[1])
if not arrival then return 0 end
local left = redis.call('PTTL', KEYS[1]) - math.floor(interval * 1000)
if left <= 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], tonumber(arrival) - interval, 'PX', left)
end
return 1`)

// Refund gives back one event that Allow took: limits that count failures take one
// up front, so that parallel guesses cannot all pass before the first is counted,
// and give it back on success.
func (l *Limiter) Refund(ctx context.Context, c Count) error {
	if c.Limit == Off {
		return nil
	}
	if err := refund.Run(ctx, l.client, []string{prefix + l.name(c)}, c.Limit.interval().Seconds()).Err(); err != nil {
		return redisdb.Unavailable(ctx, "ratelimit: refund "+c.Name, err)
	}
	return nil
}

// name is the key of a count, without prefix.
func (l *Limiter) name(c Count) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(c.Name))
	mac.Write([]byte{0})
	mac.Write([]byte(c.Subject))
	return c.Name + ":" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
