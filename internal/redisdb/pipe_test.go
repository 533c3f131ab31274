package redisdb

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A pipeline and its replies may be longer than any buffer between the client and the
// embedded Redis.
func TestEmbedded_LongPipelines(t *testing.T) {
	db, err := Open(Options{Embedded: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	value := strings.Repeat("x", 1024)
	for _, n := range []int{1, 100, 3000} {
		replies := make([]*redis.StringCmd, n)
		if _, err := db.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := range n {
				p.Set(t.Context(), strconv.Itoa(i), value, 0)
				replies[i] = p.Get(t.Context(), strconv.Itoa(i))
			}
			return nil
		}); err != nil {
			t.Fatalf("%d commands: %v", n, err)
		}
		for i, reply := range replies {
			if reply.Val() != value {
				t.Fatalf("reply %d of %d has %d bytes", i+1, n, len(reply.Val()))
			}
		}
	}
}
