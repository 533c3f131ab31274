// Package ratelimit limits the rate of events by GCRA, counted in Redis for all nodes. Several
// limits on one event are checked in one round trip: it counts against all of them or against
// none.
//
// It knows no routes and writes no answers. If Redis is away, the error is
// server.unavailable: a limit that then let everything pass could be circumvented by an
// outage.
package ratelimit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
)

// Limiter counts in one Redis.
type Limiter struct {
	client redis.Cmdable
	key    []byte
}

// New makes a limiter over client, which must never send a script twice, like redisdb's.
// key is a secret of any length that turns subjects into names, so that Redis does not
// reveal them.
func New(client redis.Cmdable, key []byte) *Limiter {
	return &Limiter{client: client, key: key}
}

// Count is one limit on one subject.
type Count struct {
	// Name says what is limited, as "sign-in".
	Name string
	// Subject names the subject of the limit: a canonical user id, an address, or both.
	Subject string
	// Group is the same for all counts of one call of Allow, Take or Refund: it keeps
	// them in one slot of a cluster. Empty means Subject.
	Group string
	Limit Limit
	// Peek has Allow look whether the limit would allow an event, and take none.
	Peek bool
	// Force has Allow take an event beyond the limit, because it has happened. Counts of the same
	// call that are not forced can still refuse all.
	Force bool
}

// Allow takes one event from each of counts, or from none of them. ok is false if one of
// them has too many, and then retryAfter is the wait until all of them would allow the
// next. The error is redisdb.Unavailable's.
func (l *Limiter) Allow(ctx context.Context, counts ...Count) (retryAfter time.Duration, ok bool, err error) {
	keys, limits := l.arguments(counts)
	if len(keys) == 0 {
		return 0, true, nil
	}
	wait, err := take.Run(ctx, l.client, keys, limits...).Int64()
	if err != nil {
		return 0, false, redisdb.Unavailable(ctx, "ratelimit: "+counts[0].Name, err)
	}
	return time.Duration(wait) * time.Microsecond, wait == 0, nil
}

// Take is Allow with the error request.rate if there are too many events.
func (l *Limiter) Take(ctx context.Context, counts ...Count) error {
	retryAfter, ok, err := l.Allow(ctx, counts...)
	if err == nil && !ok {
		err = fault.New(fault.RequestRate).After(retryAfter)
	}
	return err
}

// Refund gives back one event of each of counts that Allow took: limits on failures take
// one in advance, so that parallel guesses cannot all pass before the first is counted,
// and give it back on success.
func (l *Limiter) Refund(ctx context.Context, counts ...Count) error {
	keys, limits := l.arguments(counts)
	if len(keys) == 0 {
		return nil
	}
	if err := refund.Run(ctx, l.client, keys, limits...).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return redisdb.Unavailable(ctx, "ratelimit: refund "+counts[0].Name, err)
	}
	return nil
}

// take is GCRA over all KEYS. A key holds the theoretical arrival time of its count, in
// microseconds, until that time. ARGV holds three numbers for each key: the interval
// between two events and the whole burst, in microseconds, and 1 if it is only looked at, 2 if
// it is taken even beyond the burst. It returns the longest wait in microseconds, and then has
// taken nothing; 0 means that it took one event of each that is not only looked at.
var take = redis.NewScript(`
local time = redis.call('TIME')
local now, wait, arrivals = time[1] * 1000000 + time[2], 0, {}
for i, key in ipairs(KEYS) do
  local arrival = math.max(tonumber(redis.call('GET', key) or 0), now) + ARGV[3 * i - 2]
  if ARGV[3 * i] ~= '2' then wait = math.max(wait, arrival - ARGV[3 * i - 1] - now) end
  arrivals[i] = arrival
end
if wait > 0 then return math.ceil(wait) end
for i, key in ipairs(KEYS) do
  if ARGV[3 * i] ~= '1' then
    redis.call('SET', key, string.format('%.0f', arrivals[i]), 'PX', math.ceil((arrivals[i] - now) / 1000))
  end
end
return 0`)

// refund moves the arrival time of each of KEYS back by its interval; ARGV is as for
// take. It deletes counts that become empty.
var refund = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i, key in ipairs(KEYS) do
  local arrival = tonumber(redis.call('GET', key) or 0) - ARGV[3 * i - 2]
  local left = math.ceil((arrival - now) / 1000)
  if left > 0 then
    redis.call('SET', key, string.format('%.0f', arrival), 'PX', left)
  else
    redis.call('DEL', key)
  end
end
return 0`)

// arguments returns the KEYS and ARGV of the scripts for the counts that are not off.
func (l *Limiter) arguments(counts []Count) (keys []string, limits []any) {
	for _, c := range counts {
		if c.Limit == off {
			continue
		}
		interval := c.Limit.interval()
		keys = append(keys, l.name(c))
		mode := 0
		switch {
		case c.Peek:
			mode = 1
		case c.Force:
			mode = 2
		}
		limits = append(limits, interval.Microseconds(), (interval * time.Duration(c.Limit.events)).Microseconds(), mode)
	}
	return keys, limits
}

// name returns the Redis key of a count.
func (l *Limiter) name(c Count) string {
	group := c.Group
	if group == "" {
		group = c.Subject
	}
	return "cs:rate:{" + l.hide("", group) + "}:" + c.Name + ":" + l.hide(c.Name, c.Subject)
}

// hide returns 16 bytes of an HMAC of both texts, in base64url.
func (l *Limiter) hide(name, subject string) string {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(name))
	mac.Write([]byte{0})
	mac.Write([]byte(subject))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
