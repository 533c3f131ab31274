package redisdb_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// inEveryMode runs test with Redis in every mode, and with the embedded one.
func inEveryMode(t *testing.T, test func(*testing.T, *redisdb.DB)) {
	t.Helper()
	modes := map[string]redisdb.Options{"embedded": {Embedded: true, Now: time.Now}}
	for name, start := range running {
		modes[name], _ = start(t)
	}
	for name, options := range modes {
		t.Run(name, func(t *testing.T) {
			db := hasty(t, options)
			defer db.Close()
			warmUp(t, db)
			test(t, db)
		})
	}
}

// Each of many reads at once gets its own reply, in every mode and with the embedded Redis.
func TestReadsGetTheirOwnReplies(t *testing.T) {
	t.Parallel()
	inEveryMode(t, func(t *testing.T, db *redisdb.DB) {
		for i := range 64 {
			if err := db.Client.Set(t.Context(), fmt.Sprint("number", i), i, 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for i := range 256 {
			wg.Go(func() {
				got, err := db.Reads.Get(t.Context(), fmt.Sprint("number", i))
				switch {
				case i >= 64 && !errors.Is(err, redis.Nil):
					t.Errorf("a key that is not there: %q, %v", got, err)
				case i < 64 && (err != nil || string(got) != fmt.Sprint(i)):
					t.Errorf("key %d: %q, %v", i, got, err)
				}
			})
		}
		var spent atomic.Int64
		for i := range 256 {
			wg.Go(func() {
				write := redis.NewBoolCmd(t.Context(), "set", fmt.Sprint("spent", i%64), "1", "px", 60_000, "nx")
				got, err := db.Reads.GetWith(t.Context(), fmt.Sprint("number", i%64), write)
				if err != nil || write.Err() != nil || string(got) != fmt.Sprint(i%64) {
					t.Errorf("key %d with a write: %q, %v, %v", i%64, got, err, write.Err())
				}
				if write.Val() {
					spent.Add(1)
				}
			})
		}
		wg.Wait()
		if spent.Load() != 64 {
			t.Errorf("%d of 64 were spent", spent.Load())
		}
	})
}

// A read that waits behind another one on a silent Redis ends as soon as any command, a
// request's second read sooner, and a read whose request has ended is not sent.
func TestReadsEndWithSilentRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	warmUp(t, db)
	server.Stall()
	defer server.Resume()
	ctx := redisdb.ShareTimeout(t.Context())
	begin := time.Now()
	for range 16 {
		if _, err := db.Reads.Get(ctx, "key"); err == nil || errors.Is(err, redis.Nil) {
			t.Fatalf("a stalled Redis answers: %v", err)
		}
	}
	if took := time.Since(begin); took > 6*time.Second {
		t.Errorf("sixteen reads waited %v", took)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Reads.Get(over, "key"); !errors.Is(err, context.Canceled) {
		t.Errorf("a read of a request that has ended: %v", err)
	}
}

// A read counts once in what is measured, however many went with it.
func TestReadsAreMeasuredOneByOne(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	var calls guarded[int]
	options := redisdb.Options{URL: server.URL(), Now: time.Now, Observe: func(redisdb.Outcome, time.Duration) {
		calls.update(func(n int) int { return n + 1 })
	}}
	db := hasty(t, options)
	defer db.Close()
	warmUp(t, db)
	// A lone read and a pipeline have a connection each, whose making is measured too.
	_, _ = db.Reads.Get(t.Context(), "key")
	_, _ = db.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error { p.Get(t.Context(), "key"); p.Get(t.Context(), "key"); return nil })
	before := calls.get()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { _, _ = db.Reads.Get(t.Context(), "key") })
	}
	wg.Wait()
	if got := calls.get() - before; got != 50 {
		t.Errorf("%d calls were measured of 50 reads", got)
	}
}

// ahead is a context of a request that reads ahead.
type ahead struct {
	context.Context
	reads redisdb.Ahead
}

func (a *ahead) Value(of any) any {
	if _, ok := of.(redisdb.AheadKey); ok {
		return &a.reads
	}
	return a.Context.Value(of)
}

// What is read ahead travels with the next read in every mode, and its replies are given
// once, to whoever asks for the same.
func TestReadsAheadTravelAlong(t *testing.T) {
	t.Parallel()
	inEveryMode(t, func(t *testing.T, db *redisdb.DB) {
		ctx := &ahead{Context: t.Context()}
		for _, key := range []string{"session", "other"} {
			if err := db.Client.Set(ctx, key, "of "+key, 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		get := func(key string) *redis.StringCmd { return redis.NewStringCmd(ctx, "get", key) }
		redisdb.ReadAhead(ctx, "two", get("other"), get("none"))
		if sent := redisdb.SentAhead(ctx, "two"); sent != nil {
			t.Error("there are replies before anything was sent")
		}
		write := redis.NewStatusCmd(ctx, "set", "written", "")
		if value, err := db.Reads.GetWith(ctx, "session", write); err != nil || string(value) != "of session" || write.Err() != nil {
			t.Fatalf("%q, %v, %v", value, err, write.Err())
		}
		if sent := redisdb.SentAhead(ctx, "one"); sent != nil {
			t.Error("replies to other reads were given")
		}
		sent := redisdb.SentAhead(ctx, "two")
		if len(sent) != 2 || sent[0].Val() != "of other" || !errors.Is(sent[1].Err(), redis.Nil) {
			t.Errorf("sent: %v", sent)
		}
		if sent := redisdb.SentAhead(ctx, "two"); sent != nil {
			t.Error("replies were given twice")
		}
	})
}
