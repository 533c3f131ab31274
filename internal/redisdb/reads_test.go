package redisdb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// Each of many reads at once gets its own replies, in every mode and with the embedded Redis.
func TestReads_ConcurrentRepliesMatch(t *testing.T) {
	t.Parallel()
	modes := map[string]redisdb.Options{"embedded": {Embedded: true, Now: time.Now}}
	for name, start := range running {
		modes[name], _ = start(t)
	}
	for name, options := range modes {
		t.Run(name, func(t *testing.T) {
			db := hasty(t, options)
			defer db.Close()
			warmUp(t, db)
			for i := range 64 {
				if err := db.Client.Set(t.Context(), fmt.Sprint("number", i), i, 0).Err(); err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for i := range 256 {
				wg.Go(func() {
					get := func(i int) *redis.StringCmd { return redis.NewStringCmd(t.Context(), "get", fmt.Sprint("number", i)) }
					one, none := get(i%64), get(64+i)
					reads := []redis.Cmder{one, none}[:1+i%2]
					db.Read(t.Context(), reads...)
					if one.Err() != nil || one.Val() != fmt.Sprint(i%64) {
						t.Errorf("key %d: %v", i%64, one)
					}
					if len(reads) == 2 && !errors.Is(none.Err(), redis.Nil) {
						t.Errorf("a key that is not there: %v", none)
					}
				})
			}
			wg.Wait()
		})
	}
}

// A read that waits behind another one on a silent Redis ends as soon as any command, and Redis
// is read again once it is back.
func TestReads_SilentRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	warmUp(t, db)
	read := func() error {
		one := redis.NewStringCmd(t.Context(), "get", "key")
		db.Read(t.Context(), one)
		return one.Err()
	}
	server.Stall()
	watch := redistest.NewStopwatch(t)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			if took, err := watch.Time(read); err == nil || errors.Is(err, redis.Nil) || took > prompt {
				t.Errorf("a stalled Redis answers after %v: %v", took, err)
			}
		})
	}
	wg.Wait()
	server.Resume()
	redistest.Eventually(t, "Redis is read again", func() bool { return read() == nil })
}
