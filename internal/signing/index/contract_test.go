package index_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/access/accesstest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// promises are the tests that the index passes on each kind of Redis; each begins with an
// empty Redis.
var promises = map[string]func(*testing.T, redis.UniversalClient){
	"grants":                          grants,
	"grants by what was read":         grantsByWhatWasRead,
	"lists":                           lists,
	"a callback corrects":             callbackCorrects,
	"a crash loses no callback":       crashLosesNoCallback,
	"an emptied Redis is built again": emptiedIsBuiltAnew,
	"an older answer is refused":      olderAnswerIsRefused,
	"what vanished goes":              vanishedGoes,
	"two nodes at once":               twoNodesAtOnce,
	"keys rotate":                     keysRotate,
	"nothing is readable":             nothingIsReadable,
	"visibility":                      visibility,
}

// TestContract_OnEachRedis runs promises on each kind of Redis.
func TestContract_OnEachRedis(t *testing.T) {
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
			client := accesstest.OpenRedis(t, options(t))
			for name, promise := range promises {
				t.Run(name, func(t *testing.T) {
					flush(t, client)
					promise(t, client)
				})
			}
		})
	}
}

// flush empties client's Redis.
func flush(t testing.TB, client redis.UniversalClient) {
	t.Helper()
	redistest.EachKey(t, client, func(ctx context.Context, node *redis.Client, key string) {
		if err := node.Del(ctx, key).Err(); err != nil {
			t.Fatal(err)
		}
	})
}
