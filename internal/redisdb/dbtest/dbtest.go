// Package dbtest opens the Redis of a test, of any kind.
package dbtest

import (
	"log/slog"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// Patience is a time limit that Redis does not reach in tests of something else.
const Patience = time.Minute

// Kinds are the kinds of Redis, each with a function that starts one and returns its options,
// with Patience.
var Kinds = map[string]func(testing.TB) redisdb.Options{
	"embedded": func(testing.TB) redisdb.Options {
		return redisdb.Options{Embedded: true, Now: time.Now, Timeout: Patience}
	},
	"single": func(t testing.TB) redisdb.Options {
		t.Helper()
		return redisdb.Options{URL: redistest.Start(t).URL(), Timeout: Patience}
	},
	"sentinel": func(t testing.TB) redisdb.Options {
		t.Helper()
		return redisdb.Options{URL: redistest.StartSentinel(t).URL(), Mode: redisdb.ModeSentinel, Timeout: Patience}
	},
	"cluster": func(t testing.TB) redisdb.Options {
		t.Helper()
		return redisdb.Options{URL: redistest.StartCluster(t).URL(), Mode: redisdb.ModeCluster, Timeout: Patience}
	},
}

// Open opens a Redis, whose log goes nowhere, and closes it when the test ends.
func Open(t testing.TB, o redisdb.Options) *redisdb.DB {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	db, err := redisdb.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Embedded opens an embedded Redis.
func Embedded(t testing.TB) *redisdb.DB {
	t.Helper()
	return Open(t, Kinds["embedded"](t))
}
