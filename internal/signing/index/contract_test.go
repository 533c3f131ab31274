package index_test

import (
	"testing"

	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// promises are the tests that the index passes on each kind of Redis; each begins with an
// empty Redis.
var promises = map[string]func(*testing.T, redis.Cmdable){
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
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			client := dbtest.Open(t, options(t)).Client
			for name, promise := range promises {
				t.Run(name, func(t *testing.T) {
					redistest.Flush(t, client)
					promise(t, client)
				})
			}
		})
	}
}
