package redistest_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

func TestKillKeepsWhatWasAnswered(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	set(t, client, "key", 0)
	server.Kill()
	if err := client.Get(t.Context(), "key").Err(); err == nil {
		t.Error("a killed server answers")
	}
	server.Restart()
	redistest.Eventually(t, "the key is back", func() bool {
		return client.Get(t.Context(), "key").Val() == "value"
	})
}

func TestStall(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	set(t, client, "key", 0)
	server.Stall()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := client.WithTimeout(100*time.Millisecond).Get(ctx, "key").Err(); err == nil {
		t.Error("a stalled server answers")
	}
	server.Resume()
	if got := client.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("after the stall: %q", got)
	}
}

func TestAge(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	set(t, client, "short", time.Minute)
	set(t, client, "long", time.Hour)
	set(t, client, "for ever", 0)
	redistest.Age(t, client, 2*time.Minute)

	if n := client.Exists(t.Context(), "short").Val(); n != 0 {
		t.Error("a key of one minute lives after two")
	}
	if left := client.TTL(t.Context(), "long").Val(); left < 57*time.Minute || left > 58*time.Minute {
		t.Errorf("a key of one hour has %v left after two minutes", left)
	}
	if n := client.Exists(t.Context(), "for ever").Val(); n != 1 {
		t.Error("a key without an end ended")
	}
}

func TestClusterServesEverySlot(t *testing.T) {
	cluster := redistest.StartCluster(t)
	o, err := redis.ParseClusterURL(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClusterClient(o)
	defer client.Close()
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		set(t, client, key, time.Minute)
	}
	seen := 0
	redistest.EachKey(t, client, func(context.Context, *redis.Client, string) { seen++ })
	if seen != 8 {
		t.Errorf("%d keys on the masters, want 8", seen)
	}
}

func TestSentinelFailsOver(t *testing.T) {
	sentinel := redistest.StartSentinel(t)
	before := sentinel.Master.Addr
	sentinel.Failover(t)
	if sentinel.Master.Addr == before {
		t.Error("the master is the same after a failover")
	}
}

func set(t *testing.T, client redis.Cmdable, key string, life time.Duration) {
	t.Helper()
	if err := client.Set(t.Context(), key, "value", life).Err(); err != nil {
		t.Fatal(err)
	}
}
