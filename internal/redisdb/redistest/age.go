package redistest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Age moves time by d for every key of client's Redis at once: keys that would have
// expired are gone, the others live that much less. Tests use it because the server reads
// the operating system's clock.
func Age(t testing.TB, client redis.Cmdable, d time.Duration) {
	t.Helper()
	EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		left, err := node.PTTL(ctx, key).Result()
		if err != nil {
			t.Fatalf("redistest: age: %v", err)
		}
		switch {
		case left < 0: // lives for ever, or has just gone
		case left <= d:
			err = node.Del(ctx, key).Err()
		default:
			err = node.PExpire(ctx, key, left-d).Err()
		}
		if err != nil {
			t.Fatalf("redistest: age: %v", err)
		}
	})
}

// EachKey calls visit for every key of client's Redis, one after the other, on the
// node that has it.
func EachKey(t testing.TB, client redis.Cmdable, visit func(ctx context.Context, node redis.Cmdable, key string)) {
	t.Helper()
	ctx := context.Background()
	for _, node := range masters(ctx, t, client) {
		keys := node.Scan(ctx, 0, "*", 1000).Iterator()
		for keys.Next(ctx) {
			visit(ctx, node, keys.Val())
		}
		if err := keys.Err(); err != nil {
			t.Fatalf("redistest: scan: %v", err)
		}
	}
}

// Flush empties client's Redis.
func Flush(t testing.TB, client redis.Cmdable) {
	t.Helper()
	ctx := context.Background()
	for _, node := range masters(ctx, t, client) {
		if err := node.FlushAll(ctx).Err(); err != nil {
			t.Fatalf("redistest: flush: %v", err)
		}
	}
}

// masters returns the nodes that together hold every key.
func masters(ctx context.Context, t testing.TB, client redis.Cmdable) []redis.Cmdable {
	t.Helper()
	switch client := client.(type) {
	case *redis.Client:
		return []redis.Cmdable{client}
	case *redis.ClusterClient:
		var mu sync.Mutex // the nodes are called concurrently
		var nodes []redis.Cmdable
		if err := client.ForEachMaster(ctx, func(_ context.Context, node *redis.Client) error {
			mu.Lock()
			defer mu.Unlock()
			nodes = append(nodes, node)
			return nil
		}); err != nil {
			t.Fatalf("redistest: masters: %v", err)
		}
		return nodes
	}
	t.Fatalf("redistest: no way to walk a %T", client)
	return nil
}
