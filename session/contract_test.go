package session_test

import (
	"log/slog"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/session/sessiontest"
)

// patience is a time limit that Redis does not reach in tests of something else.
const patience = time.Minute

// TestContract_EveryKindOfRedis runs the contract suite on each kind of Redis.
func TestContract_EveryKindOfRedis(t *testing.T) {
	for name, options := range map[string]func(*testing.T) redisdb.Options{
		"embedded": func(*testing.T) redisdb.Options { return redisdb.Options{Embedded: true, Now: time.Now} },
		"single":   func(t *testing.T) redisdb.Options { return redisdb.Options{URL: redistest.Start(t).URL()} },
		"sentinel": func(t *testing.T) redisdb.Options {
			return redisdb.Options{URL: redistest.StartSentinel(t).URL(), Mode: redisdb.ModeSentinel}
		},
		"cluster": func(t *testing.T) redisdb.Options {
			return redisdb.Options{URL: redistest.StartCluster(t).URL(), Mode: redisdb.ModeCluster}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sessiontest.Run(t, func(t *testing.T) sessiontest.Backend {
				o := options(t)
				o.Timeout = patience
				db := open(t, o)
				return sessiontest.Backend{Client: db.Client, Timeout: db.Timeout(), Advance: func(t testing.TB, d time.Duration) {
					t.Helper()
					redistest.Age(t, db.Client, d)
				}}
			})
		})
	}
}

func open(t testing.TB, o redisdb.Options) *redisdb.DB {
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
