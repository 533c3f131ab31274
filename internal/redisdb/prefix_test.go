package redisdb_test

import (
	"context"
	"testing"

	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// Every key gets the prefix, whichever command names it and wherever; an operator's own name
// stays, and a command whose keys are not known is not sent.
func TestPrefix_EveryCommand(t *testing.T) {
	for _, prefix := range []string{"shop:", "cs:shop:", "c"} {
		for name, start := range dbtest.Kinds {
			t.Run(prefix+" "+name, func(t *testing.T) {
				options := start(t)
				options.Prefix = prefix
				db := open(t, options)
				defer db.Close()
				want := map[string]bool{db.Name("cs:kept:text"): true, db.Name("cs:kept:0"): true, "own": true}
				for _, key := range []string{"cs:{a}set", "cs:{a}script", "cs:{a}pipe", "cs:{a}transaction"} {
					want[prefix+key[3:]] = true
				}
				p := []func() error{
					func() error { _, err := db.CheckPermissions(t.Context()); return err },
					func() error { return db.Client.Set(t.Context(), "cs:{a}set", 1, 0).Err() },
					func() error { return db.Client.Set(t.Context(), "own", 1, 0).Err() },
					func() error {
						return redis.NewScript(`return redis.call('INCR', KEYS[1])`).Run(t.Context(), db.Client, []string{"cs:{a}script", "cs:{a}set"}, "cs:an argument").Err()
					},
					func() error {
						_, err := db.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error { return p.Set(t.Context(), "cs:{a}pipe", 1, 0).Err() })
						return err
					},
					func() error {
						_, err := db.Client.TxPipelined(t.Context(), func(p redis.Pipeliner) error { return p.Set(t.Context(), "cs:{a}transaction", 1, 0).Err() })
						return err
					},
					func() error { return db.Client.MGet(t.Context(), "cs:{a}set", "cs:{a}pipe").Err() },
				}
				for i, do := range p {
					if err := do(); err != nil {
						t.Errorf("%d: %v", i, err)
					}
				}
				if n := db.Client.Exists(t.Context(), "cs:{a}set", "cs:{a}script").Val(); n != 2 {
					t.Errorf("%d of 2 are found", n)
				}
				if err := db.Client.BitCount(t.Context(), "cs:{a}set", nil).Err(); err == nil {
					t.Error("a command whose keys are not known is sent")
				}
				if options.Embedded {
					return // its keys cannot be listed by another client
				}
				options.Prefix = ""
				plain := open(t, options)
				defer plain.Close()
				redistest.EachKey(t, plain.Client, func(_ context.Context, _ redis.Cmdable, key string) {
					if !want[key] {
						t.Errorf("there is %s", key)
					}
				})
			})
		}
	}
}

// The name of a key or channel begins with the prefix once.
func TestName_PrefixedOnce(t *testing.T) {
	for _, tt := range [][3]string{
		{"", "cs:events", "cs:events"}, {"shop:", "cs:events", "shop:events"}, {"shop:", "shop:events", "shop:events"},
		{"cs:shop:", "cs:events", "cs:shop:events"}, {"cs:shop:", "cs:shop:events", "cs:shop:events"}, {"shop:", "audit", "audit"},
	} {
		options := dbtest.Kinds["embedded"](t)
		options.Prefix = tt[0]
		db := open(t, options)
		if got := db.Name(tt[1]); got != tt[2] {
			t.Errorf("%s with %q is %s, want %s", tt[1], tt[0], got, tt[2])
		}
		db.Close()
	}
}
