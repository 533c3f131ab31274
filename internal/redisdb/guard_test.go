package redisdb

import (
	"sync/atomic"
	"testing"

	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// TestCommand_ReplyLost loses the answer to one command after the server has run it: a read is
// sent again, nothing else is.
func TestCommand_ReplyLost(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	nodes := redistest.StartCluster(t)
	for name, dial := range map[string]func(*line) Client{
		"single": func(line *line) Client {
			return redis.NewClient(single(&redis.Options{Addr: server.Addr, Dialer: line.dial}, enough))
		},
		"cluster": func(line *line) Client {
			return redis.NewClusterClient(cluster(&redis.ClusterOptions{Addrs: []string{nodes.Nodes[0].Addr}, Dialer: line.dial}, enough))
		},
	} {
		t.Run(name, func(t *testing.T) {
			line := &line{}
			client := dial(line)
			client.AddHook(guard{limit: enough, starved: new(atomic.Uint32)})
			defer client.Close()

			count := redis.NewScript(`return redis.call('INCR', KEYS[1])`)
			if err := count.Run(t.Context(), client, []string{"script"}).Err(); err != nil {
				t.Fatal(err)
			}
			line.lose("evalsha")
			if err := count.Run(t.Context(), client, []string{"script"}).Err(); err == nil {
				t.Error("script: no error for a lost answer")
			}
			line.lose("incr")
			if err := client.Incr(t.Context(), "write").Err(); err == nil {
				t.Error("write: no error for a lost answer")
			}
			line.lose("incr")
			if _, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error { return p.Incr(t.Context(), "pipeline").Err() }); err == nil {
				t.Error("pipeline: no error for a lost answer")
			}
			line.lose("incr")
			if _, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
				p.Get(t.Context(), "key")
				return p.Incr(t.Context(), "together").Err()
			}); err == nil {
				t.Error("read with a write: no error for a lost answer")
			}
			for key, want := range map[string]string{"script": "2", "write": "1", "pipeline": "1", "together": "1"} {
				line.lose("get")
				if got, err := client.Get(t.Context(), key).Result(); err != nil || got != want {
					t.Errorf("%s, read after a lost answer: %q, %v; want %q", key, got, err, want)
				}
				if !line.done() {
					t.Errorf("%s: no answer was lost", key)
				}
			}
		})
	}
}
