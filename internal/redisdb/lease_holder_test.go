package redisdb

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// TestLease_ReplyLost loses the answer to taking, renewing and releasing a lease after
// Redis has done it: nobody has to wait for the lease's end.
func TestLease_ReplyLost(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	line := &line{}
	client := redis.NewClient(single(&redis.Options{Addr: server.Addr, Dialer: line.dial}, enough))
	client.AddHook(guard{limit: enough, starved: new(atomic.Uint32)})
	defer client.Close()
	leases := NewLeases(client, []byte("a key"), enough)
	lease := Lease{Kind: "lost", Life: time.Minute}
	again := func() {
		t.Helper()
		if !line.done() {
			t.Error("no answer was lost")
		}
		if held, err := leases.WithLease(t.Context(), lease, func(context.Context) error { return nil }); !held || err != nil {
			t.Errorf("then: held %v, %v", held, err)
		}
	}
	again() // the scripts are loaded from now on

	line.lose("evalsha")
	held, err := leases.WithLease(t.Context(), lease, func(context.Context) error {
		t.Error("work without a lease")
		return nil
	})
	if held || !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("taking: held %v, %v", held, err)
	}
	again()

	held, err = leases.WithLease(t.Context(), lease, func(context.Context) error {
		line.lose("evalsha")
		return nil
	})
	if !held || err != nil {
		t.Errorf("releasing: held %v, %v", held, err)
	}
	again()

	renewed := Lease{Kind: lease.Kind, Life: 3 * time.Second}
	held, err = leases.WithLease(t.Context(), renewed, func(ctx context.Context) error {
		line.lose("evalsha")
		redistest.Eventually(t, "a renewal's answer is lost", line.done)
		return ctx.Err()
	})
	if !held || err != nil {
		t.Errorf("renewing: held %v, %v", held, err)
	}
	again()
}
