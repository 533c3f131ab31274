package redisdb_test

import (
	"os"
	"testing"

	"github.com/redis/go-redis/v9/logging"
)

// TestMain switches off go-redis's global logger, which the parallel tests share.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}
