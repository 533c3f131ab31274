package redisdb_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// narrow returns options with a single connection to each server.
func narrow(o redisdb.Options, limit time.Duration) redisdb.Options {
	separator := "?"
	if strings.Contains(o.URL, "?") {
		separator = "&"
	}
	o.URL, o.Timeout = o.URL+separator+"pool_size=1", limit
	return o
}

// Load alone causes no refusals: a command that finds every connection busy waits for one
// as long as a command may take, not only for the shorter time of one step.
func TestPool_CommandWaitsForConnection(t *testing.T) {
	t.Parallel()
	const limit, busy = 8 * time.Second, 4 * time.Second
	for name, start := range running {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, _ := start(t)
			db := hasty(t, narrow(options, limit))
			defer db.Close()
			redistest.Eventually(t, "Redis is used", func() bool { return db.Client.Set(t.Context(), "{a}key", "value", 0).Err() == nil })
			var wg sync.WaitGroup
			defer wg.Wait()
			wg.Go(func() {
				if err := db.Client.BLPop(t.Context(), busy, "{a}nothing").Err(); err != redis.Nil { //nolint:errorlint // As go-redis returns it.
					t.Errorf("the busy connection: %v", err)
				}
			})
			redistest.Eventually(t, "the connection is busy", func() bool { return db.Pool().Used > 0 })
			for what, ask := range asks(db, "{a}key") {
				for range 5 {
					wg.Go(func() {
						if err := ask(t.Context()); err != nil {
							t.Errorf("%s: %v", what, err)
						}
					})
				}
			}
		})
	}
}

// asks returns a command of each kind, on one key.
func asks(db *redisdb.DB, key string) map[string]func(context.Context) error {
	script := redis.NewScript(`return redis.call('GET', KEYS[1])`)
	return map[string]func(context.Context) error{
		"read":   func(ctx context.Context) error { return db.Client.Get(ctx, key).Err() },
		"write":  func(ctx context.Context) error { return db.Client.Set(ctx, key, "value", 0).Err() },
		"script": func(ctx context.Context) error { return script.Run(ctx, db.Client, []string{key}).Err() },
		"pipeline": func(ctx context.Context) error {
			_, err := db.Client.Pipelined(ctx, func(p redis.Pipeliner) error { return p.Get(ctx, key).Err() })
			return err
		},
		"transaction": func(ctx context.Context) error {
			_, err := db.Client.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Get(ctx, key).Err() })
			return err
		},
	}
}

// Waiting for a connection counts as time like all else: a request whose commands find
// none ends with the time-out, however many commands and tries it has, and is counted.
func TestPool_WaitEndsAtTimeout(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	db := hasty(t, narrow(redisdb.Options{URL: redistest.Start(t).URL()}, limit))
	defer db.Close()
	if err := db.Client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	taken := db.Client.(*redis.Client).Conn()
	defer taken.Close()
	redistest.Eventually(t, "the connection is taken", func() bool { return taken.Ping(t.Context()).Err() == nil })
	watch := redistest.NewStopwatch(t)
	var wg sync.WaitGroup
	waiting := asks(db, "key")
	delete(waiting, "pipeline") // these use a connection of their own
	delete(waiting, "transaction")
	for what, ask := range waiting {
		wg.Go(func() {
			ctx := context.WithValue(t.Context(), redisdb.BudgetKey{}, new(redisdb.Budget))
			if what == "script" || what == "read" { // these run within a call that has no more time than they do
				shorter, cancel := context.WithTimeout(ctx, limit)
				defer cancel()
				ctx = shorter
			}
			took, _ := watch.Time(func() error {
				for range 4 {
					if ask(ctx) == nil {
						t.Errorf("%s: answered without a connection", what)
					}
				}
				return nil
			})
			if took > 2*limit {
				t.Errorf("%s: four commands waited %v", what, took)
			}
		})
	}
	wg.Wait()
	if counted, want := db.Pool().Timeouts, len(waiting); int(counted) != want {
		t.Errorf("%d requests are counted that found no connection, of %d", counted, want)
	}
}
