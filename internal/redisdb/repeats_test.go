package redisdb_test

import (
	"fmt"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// removal is a script that may be repeated.
var removal = redis.NewScript(`return redis.call('DEL', KEYS[1])`)

// A key that a failover brings back is deleted again. Without a new connection nothing is
// repeated, and while Redis is away no script is forgotten.
func TestRepeats_DeletionAfterFailover(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := open(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	repeats := db.NewRepeats()
	comesBack := func() (stays bool) {
		t.Helper()
		if err := server.Client().Set(t.Context(), "k", "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		redisdb.Look(t.Context(), repeats)
		return server.Client().Exists(t.Context(), "k").Val() == 1
	}
	restarted := func() {
		t.Helper()
		server.Kill()
		for range redisdb.RepeatLooks {
			redisdb.Look(t.Context(), repeats)
		}
		server.Restart()
		redistest.Eventually(t, "Redis is back", func() bool { return db.Client.Ping(t.Context()).Err() == nil })
	}

	if !comesBack() {
		t.Error("a key went that nobody ended")
	}
	repeats.Add(removal, "k")
	for range 2 {
		looks := 0
		for ; !comesBack(); looks++ { // the pool may make its second connection meanwhile
			if looks > 3*redisdb.RepeatTimes {
				t.Fatal("it is repeated without a reason")
			}
		}
		if looks < redisdb.RepeatTimes {
			t.Errorf("what was ended came back after %d looks", looks)
		}
		restarted()
	}
	for range redisdb.RepeatLooks {
		redisdb.Look(t.Context(), repeats)
	}
	if restarted(); !comesBack() || redisdb.Kept(repeats) != 0 {
		t.Error("it is kept for ever")
	}
}

// Each script is repeated by itself, on its own node of a cluster, and the oldest are
// dropped.
func TestRepeats_EachScriptByItself(t *testing.T) {
	t.Parallel()
	db := open(t, dbtest.Kinds["cluster"](t))
	defer db.Close()
	repeats := db.NewRepeats()
	for range redisdb.RepeatsAtMost {
		repeats.Add(removal, "{other}")
	}
	var all []string
	for i := range 30 {
		key := fmt.Sprintf("{%d}", i)
		if err := db.Client.Set(t.Context(), key, "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		repeats.Add(removal, key)
		all = append(all, key)
	}
	if kept := redisdb.Kept(repeats); kept != redisdb.RepeatsAtMost {
		t.Errorf("%d are kept", kept)
	}
	redisdb.Look(t.Context(), repeats)
	for _, key := range all {
		if left, err := db.Client.Exists(t.Context(), key).Result(); err != nil || left != 0 {
			t.Errorf("%s: %d are left, %v", key, left, err)
		}
	}
}

// An embedded Redis has no failover, so nothing is repeated.
func TestEmbedded_RepeatsNothing(t *testing.T) {
	t.Parallel()
	db := open(t, redisdb.Options{Embedded: true, Now: time.Now})
	defer db.Close()
	repeats := db.NewRepeats()
	if repeats.Add(removal, "k"); repeats != nil {
		t.Error("it repeats")
	}
}
