package redisdb

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// TestLostAnswer loses the answer to one command, after the server has run it: a
// read is asked again, nothing else is.
func TestLostAnswer(t *testing.T) {
	server := redistest.Start(t)
	nodes := redistest.StartCluster(t)
	for name, dial := range map[string]func(*thief) redis.UniversalClient{
		"single": func(thief *thief) redis.UniversalClient {
			return redis.NewClient(single(&redis.Options{Addr: server.Addr, Dialer: thief.dial}))
		},
		"cluster": func(thief *thief) redis.UniversalClient {
			return redis.NewClusterClient(cluster(&redis.ClusterOptions{Addrs: []string{nodes.Nodes[0].Addr}, Dialer: thief.dial}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			thief := &thief{}
			client := dial(thief)
			client.AddHook(guard{limit: answerTimeout})
			defer client.Close()

			count := redis.NewScript(`return redis.call('INCR', KEYS[1])`)
			if err := count.Run(t.Context(), client, []string{"script"}).Err(); err != nil {
				t.Fatal(err)
			}
			thief.lose("evalsha")
			if err := count.Run(t.Context(), client, []string{"script"}).Err(); err == nil {
				t.Error("script: no error for a lost answer")
			}
			thief.lose("incr")
			if err := client.Incr(t.Context(), "write").Err(); err == nil {
				t.Error("write: no error for a lost answer")
			}
			thief.lose("incr")
			if _, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error { return p.Incr(t.Context(), "pipeline").Err() }); err == nil {
				t.Error("pipeline: no error for a lost answer")
			}
			for key, want := range map[string]string{"script": "2", "write": "1", "pipeline": "1"} {
				thief.lose("get")
				if got, err := client.Get(t.Context(), key).Result(); err != nil || got != want {
					t.Errorf("%s, read after a lost answer: %q, %v; want %q", key, got, err, want)
				}
				if !thief.done() {
					t.Errorf("%s: no answer was lost", key)
				}
			}
		})
	}
}

// thief dials connections that lose the answer to one command.
type thief struct{ command atomic.Pointer[string] }

func (s *thief) lose(command string) { s.command.Store(&command) }
func (s *thief) done() bool          { return s.command.Load() == nil }

func (s *thief) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lossy{Conn: conn, thief: s}, nil
}

// lossy hands the command on, waits for the answer, then claims that the
// connection broke.
type lossy struct {
	net.Conn
	thief *thief
	lose  atomic.Bool
}

func (c *lossy) Write(p []byte) (int, error) {
	if command := c.thief.command.Load(); command != nil && bytes.Contains(p, []byte(*command)) {
		c.lose.Store(c.thief.command.CompareAndSwap(command, nil))
	}
	return c.Conn.Write(p)
}

func (c *lossy) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == nil && c.lose.Load() {
		return 0, io.EOF
	}
	return n, err
}
