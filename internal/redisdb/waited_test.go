package redisdb_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// A request of many commands waits no longer for a silent Redis than a request of one:
// 0.8 s, and not sixteen times that.
func TestCommandsShareATimeout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	warmUp(t, db)
	ctx := redisdb.ShareTimeout(t.Context())
	get := func() error { return db.Client.Get(ctx, "key").Err() }

	server.Stall()
	begin := time.Now()
	for range 16 {
		if get() == nil {
			t.Fatal("a stalled Redis answers")
		}
	}
	if took := time.Since(begin); took > 6*time.Second {
		t.Errorf("sixteen commands waited %v", took)
	}
	server.Resume()
	redistest.Eventually(t, "Redis is used again", func() bool { return get() == nil })

	server.Stall()
	defer server.Resume()
	begin = time.Now()
	if err := db.Client.Get(context.WithoutCancel(ctx), "key").Err(); err == nil {
		t.Fatal("a stalled Redis answers")
	}
	if took := time.Since(begin); took < 200*time.Millisecond {
		t.Errorf("after an answer, a command waits %v only", took)
	}
}
