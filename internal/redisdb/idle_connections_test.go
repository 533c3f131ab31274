package redisdb_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// atOnce is how many commands are sent at the same time, and so how many connections there are.
const atOnce = 24

// count is a script that runs once, or counts too far.
var count = redis.NewScript(`return redis.call('INCR', KEYS[1])`)

// burst sends one command of each kind atOnce times, and returns what failed. Before each kind,
// between happens.
func burst(t *testing.T, db *redisdb.DB, round int, between func()) (failed []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, send := range []func(key string) error{
		func(key string) error { return count.Run(t.Context(), db.Client, []string{key + "script"}).Err() },
		func(key string) error { return db.Client.Exists(t.Context(), key).Err() },
		func(key string) error {
			_, err := db.Client.TxPipelined(t.Context(), func(p redis.Pipeliner) error { return p.Incr(t.Context(), key+"transaction").Err() })
			return err
		},
		func(key string) error {
			_, err := db.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
				p.Incr(t.Context(), key+"one")
				return p.Incr(t.Context(), key+"other").Err()
			})
			return err
		},
	} {
		between()
		for i := range atOnce {
			all.Go(func() {
				if err := send(fmt.Sprintf("%d:", i)); err != nil {
					mu.Lock()
					defer mu.Unlock()
					failed = append(failed, err.Error())
				}
			})
		}
		all.Wait()
	}
	for i := range atOnce {
		for _, kind := range []string{"script", "transaction", "one", "other"} {
			if n, err := db.Client.Get(t.Context(), fmt.Sprintf("%d:%s", i, kind)).Int(); n != round || err != nil {
				failed = append(failed, fmt.Sprintf("%s ran %d times in %d rounds: %v", kind, n, round, err))
			}
		}
	}
	return failed
}

// Over TLS, go-redis does not see that a server has closed what was idle. Every command works
// all the same, and none runs twice.
func TestIdleConnection_ClosedOverTLS(t *testing.T) {
	t.Parallel()
	server, url, trust := redistest.StartTLS(t, "--timeout", "2")
	db := open(t, redisdb.Options{URL: url, TLS: trust})
	defer db.Close()
	if failed := burst(t, db, 1, func() {}); failed != nil {
		t.Fatal(failed)
	}
	if failed := burst(t, db, 2, func() { closed(t, server) }); failed != nil {
		t.Error(failed)
	}
}

// The same holds for every form of Redis, where all connections break at once.
func TestConnections_AllBroken(t *testing.T) {
	t.Parallel()
	for name, start := range running {
		t.Run(name, func(t *testing.T) {
			options, servers := start(t)
			for _, server := range servers {
				if err := server.Client().ConfigSet(t.Context(), "timeout", "2").Err(); err != nil {
					t.Fatal(err)
				}
			}
			db := open(t, redisdb.Opaque(options))
			defer db.Close()
			for round, between := range []func(){func() {}, func() {
				for _, server := range servers {
					closed(t, server)
				}
			}} {
				if failed := burst(t, db, round+1, between); failed != nil {
					t.Errorf("round %d: %v", round+1, failed)
				}
			}
		})
	}
}

// closed waits until the server has closed its clients that were idle.
func closed(t *testing.T, server *redistest.Server) {
	t.Helper()
	client := server.Client()
	redistest.Eventually(t, "idle connections are closed", func() bool {
		list, err := client.ClientList(context.Background()).Result()
		var idle []string
		for line := range strings.Lines(list) {
			if strings.Contains(line, " flags=N ") && !strings.Contains(line, " cmd=client|list ") && !strings.Contains(line, " name=sentinel-") {
				idle = append(idle, line)
			}
		}
		return err == nil && idle == nil
	})
}

// A connection that receives messages stays as it is, however long it was quiet.
func TestSubscription_KeptWhileIdle(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := open(t, redisdb.Opaque(redisdb.Options{URL: server.URL()}))
	defer db.Close()
	messages := db.Subscribe(t.Context(), "news")
	defer messages.Close()
	if _, err := messages.ReceiveTimeout(t.Context(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	redistest.Eventually(t, "it was quiet for two seconds", func() bool {
		list, err := client.ClientList(context.Background()).Result()
		return err == nil && strings.Contains(list, " idle=2 ")
	})
	if err := messages.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := messages.ReceiveTimeout(t.Context(), 5*time.Second); err != nil {
		t.Error(err)
	}
	if err := client.Publish(t.Context(), "news", "heard").Err(); err != nil {
		t.Fatal(err)
	}
	if message, err := messages.ReceiveTimeout(t.Context(), 5*time.Second); err != nil {
		t.Errorf("%v, %v", message, err)
	}
}
