package ratelimit_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

func TestLimiter_OnEachBackend(t *testing.T) {
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			client := dbtest.Open(t, options(t)).Client
			limiter := ratelimit.New(client, []byte("a key"))
			t.Run("so many and no more", func(t *testing.T) { soMany(t, limiter) })
			t.Run("counts are apart", func(t *testing.T) { apart(t, limiter) })
			t.Run("time gives back", func(t *testing.T) { timeGivesBack(t, limiter) })
			t.Run("refund", func(t *testing.T) { refunds(t, limiter) })
			t.Run("refund of the last", func(t *testing.T) { refundsTheLast(t, limiter, client) })
			t.Run("refund gives no credit", func(t *testing.T) { noCredit(t, limiter) })
			t.Run("together or not at all", func(t *testing.T) { together(t, limiter) })
			t.Run("what has happened counts", func(t *testing.T) { forced(t, limiter) })
			t.Run("at once", func(t *testing.T) { atOnce(t, limiter) })
			t.Run("off", func(t *testing.T) { off(t, limiter, client) })
			t.Run("nobody is named", func(t *testing.T) { nobodyIsNamed(t, client) })
		})
	}
}

func soMany(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "3/h")
	for range 3 {
		expect(t, limiter, ratelimit.Count{Name: "so-many", Subject: "alice@sandbox", Limit: limit}, true)
	}
	retryAfter, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "so-many", Subject: "alice@sandbox", Limit: limit})
	if err != nil || ok {
		t.Fatalf("the fourth of three: %v, %v", ok, err)
	}
	if err := limiter.Take(t.Context(), ratelimit.Count{Name: "so-many", Subject: "alice@sandbox", Limit: limit}); !fault.Is(err, fault.RequestRate) {
		t.Errorf("the fifth: %v", err)
	}
	if retryAfter <= 19*time.Minute || retryAfter > 20*time.Minute {
		t.Errorf("three an hour come back after %v, want 20 minutes", retryAfter)
	}
}

func apart(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "1/h")
	expect(t, limiter, ratelimit.Count{Name: "apart", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "apart", Subject: "alice", Limit: limit}, false)
	expect(t, limiter, ratelimit.Count{Name: "apart", Subject: "bob", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "elsewhere", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "apar", Subject: "talice", Limit: limit}, true)
}

func timeGivesBack(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "2/s")
	for taken := 0; ; taken++ {
		if _, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "time", Subject: "alice", Limit: limit}); err != nil {
			t.Fatal(err)
		} else if !ok {
			break
		}
	}
	redistest.Eventually(t, "one passes again", func() bool {
		_, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "time", Subject: "alice", Limit: limit})
		return err == nil && ok
	})
}

func refunds(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "2/h")
	expect(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit}, false)
	giveBack(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit})
	expect(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "refund", Subject: "alice", Limit: limit}, false)
}

// refundsTheLast: even with a limit of one, attempts that never fail leave nothing in
// Redis.
func refundsTheLast(t *testing.T, limiter *ratelimit.Limiter, client redis.Cmdable) {
	limit := parse(t, "1/h")
	before := keys(t, client)
	for range 5 {
		expect(t, limiter, ratelimit.Count{Name: "last", Subject: "alice", Limit: limit}, true)
		giveBack(t, limiter, ratelimit.Count{Name: "last", Subject: "alice", Limit: limit})
	}
	if after := keys(t, client); after != before {
		t.Errorf("%d keys, %d before", after, before)
	}
}

func noCredit(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "1/h")
	for range 5 {
		giveBack(t, limiter, ratelimit.Count{Name: "credit", Subject: "alice", Limit: limit})
	}
	expect(t, limiter, ratelimit.Count{Name: "credit", Subject: "alice", Limit: limit}, true)
	expect(t, limiter, ratelimit.Count{Name: "credit", Subject: "alice", Limit: limit}, false)
}

// together: an event that one limit refuses counts against none, and retryAfter is when
// all allow it.
func together(t *testing.T, limiter *ratelimit.Limiter) {
	few := ratelimit.Count{Name: "few", Subject: "alice 192.0.2.7", Group: "alice", Limit: parse(t, "1/h")}
	many := ratelimit.Count{Name: "many", Subject: "alice", Group: "alice", Limit: parse(t, "2/m")}
	unlimited := ratelimit.Count{Name: "unlimited", Subject: "alice", Group: "alice", Limit: ratelimit.Limit{}}
	for i, want := range []bool{true, false, false} {
		retryAfter, ok, err := limiter.Allow(t.Context(), many, few, unlimited)
		if err != nil || ok != want {
			t.Fatalf("%d: %v, %v; want %v", i, ok, err, want)
		}
		if !ok && (retryAfter <= 59*time.Minute || retryAfter > time.Hour) {
			t.Errorf("they pass together after %v, want an hour", retryAfter)
		}
	}
	expect(t, limiter, many, true)
	expect(t, limiter, many, false)
	if err := limiter.Refund(t.Context(), few, many); err != nil {
		t.Fatal(err)
	}
	expect(t, limiter, few, true)
	expect(t, limiter, many, true)
}

// What is taken by force counts beyond the limit, and is paid for later.
func forced(t *testing.T, limiter *ratelimit.Limiter) {
	count := ratelimit.Count{Name: "forced", Subject: "alice", Limit: parse(t, "1/h")}
	force := count
	force.Force = true
	for range 3 {
		expect(t, limiter, force, true)
	}
	retryAfter, ok, err := limiter.Allow(t.Context(), force, count)
	if err != nil || ok || retryAfter <= 179*time.Minute || retryAfter > 3*time.Hour {
		t.Errorf("beside one that is full: %v after %v, %v; want three hours", ok, retryAfter, err)
	}
	for range 2 {
		if err := limiter.Refund(t.Context(), count); err != nil {
			t.Fatal(err)
		}
		expect(t, limiter, count, false)
	}
}

func atOnce(t *testing.T, limiter *ratelimit.Limiter) {
	limit := parse(t, "10/h")
	var passed atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, ok, err := limiter.Allow(context.Background(), ratelimit.Count{Name: "at-once", Subject: "alice", Limit: limit}); err != nil {
				t.Error(err)
			} else if ok {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if got := passed.Load(); got != 10 {
		t.Errorf("%d of 50 passed a limit of 10", got)
	}
}

func off(t *testing.T, limiter *ratelimit.Limiter, client redis.Cmdable) {
	before := keys(t, client)
	for range 100 {
		expect(t, limiter, ratelimit.Count{Name: "off", Subject: "alice", Limit: parse(t, "off")}, true)
	}
	giveBack(t, limiter, ratelimit.Count{Name: "off", Subject: "alice", Limit: ratelimit.Limit{}})
	if after := keys(t, client); after != before {
		t.Error("a limit that is off writes to Redis")
	}
}

func nobodyIsNamed(t *testing.T, client redis.Cmdable) {
	limit := parse(t, "1/h")
	expect(t, ratelimit.New(client, []byte("one key")), ratelimit.Count{Name: "named", Subject: "carol@sandbox 192.0.2.7", Limit: limit}, true)
	expect(t, ratelimit.New(client, []byte("another key")), ratelimit.Count{Name: "named", Subject: "carol@sandbox 192.0.2.7", Limit: limit}, true)
	redistest.EachKey(t, client, func(_ context.Context, _ redis.Cmdable, key string) {
		for _, name := range []string{"alice", "bob", "carol", "192.0.2.7"} {
			if strings.Contains(key, name) {
				t.Errorf("key %q names %s", key, name)
			}
		}
	})
}

func TestLimiter_RedisAway(t *testing.T) {
	server := redistest.Start(t)
	limiter := ratelimit.New(dbtest.Open(t, redisdb.Options{URL: server.URL(), Timeout: dbtest.Patience}).Client, []byte("a key"))
	limit := parse(t, "10/m")
	server.Kill()
	if _, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "name", Subject: "alice", Limit: limit}); !fault.Is(err, fault.ServerUnavailable) || ok {
		t.Errorf("Allow while Redis is away: %v, %v", ok, err)
	}
	if err := limiter.Refund(t.Context(), ratelimit.Count{Name: "name", Subject: "alice", Limit: limit}); !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("Refund while Redis is away: %v", err)
	}
	if _, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "name", Subject: "alice", Limit: ratelimit.Limit{}}); err != nil || !ok {
		t.Errorf("a limit that is off while Redis is away: %v, %v", ok, err)
	}
	server.Restart()
	redistest.Eventually(t, "events pass again", func() bool {
		_, ok, err := limiter.Allow(t.Context(), ratelimit.Count{Name: "name", Subject: "alice", Limit: limit})
		return err == nil && ok
	})
}

func expect(t *testing.T, limiter *ratelimit.Limiter, c ratelimit.Count, want bool) {
	t.Helper()
	if _, ok, err := limiter.Allow(t.Context(), c); err != nil || ok != want {
		t.Errorf("%s of %s: %v, %v; want %v", c.Name, c.Subject, ok, err, want)
	}
}

func giveBack(t *testing.T, limiter *ratelimit.Limiter, c ratelimit.Count) {
	t.Helper()
	if err := limiter.Refund(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func parse(t *testing.T, text string) ratelimit.Limit {
	t.Helper()
	limit, err := ratelimit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return limit
}

func keys(t *testing.T, client redis.Cmdable) int {
	t.Helper()
	n := 0
	redistest.EachKey(t, client, func(context.Context, redis.Cmdable, string) { n++ })
	return n
}
