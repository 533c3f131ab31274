package session_test

import (
	"testing"
	"time"

	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session/sessiontest"
)

// TestContract_EveryKindOfRedis runs the contract suite on each kind of Redis.
func TestContract_EveryKindOfRedis(t *testing.T) {
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			sessiontest.Run(t, func(t *testing.T) sessiontest.Backend {
				db := dbtest.Open(t, options(t))
				return sessiontest.Backend{Client: db.Client, Timeout: db.Timeout(), Advance: func(t testing.TB, d time.Duration) {
					t.Helper()
					redistest.Age(t, db.Client, d)
				}}
			})
		})
	}
}
