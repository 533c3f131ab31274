package redisdb_test

import (
	"os"
	"testing"

	"github.com/redis/go-redis/v9/logging"
)

// TestMain silences go-redis's one logger before the tests run side by side.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}
