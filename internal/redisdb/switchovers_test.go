package redisdb_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// A Sentinel that has not heard of a switch-over yet names the master of before, which is a
// replica by now. Nothing is read there: what was signed out a moment ago may still be
// signed in.
func TestSentinel_StaleMasterNotRead(t *testing.T) {
	t.Parallel()
	master, replica := redistest.Start(t), redistest.Start(t)
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := master.Client().Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := replica.Client().ReplicaOf(t.Context(), host, port).Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the replica has the key", func() bool { return replica.Client().Get(t.Context(), "key").Err() == nil })

	var named atomic.Value
	named.Store(replica.Addr)
	db := hasty(t, redisdb.Options{URL: "redis://" + sentinelNaming(t, &named).address + "?master_name=main", Mode: redisdb.ModeSentinel})
	defer db.Close()
	for name, read := range map[string]func() error{
		"a command": func() error { return db.Client.Get(t.Context(), "key").Err() },
		"a pipeline": func() error {
			_, err := db.Client.Pipelined(t.Context(), func(p redis.Pipeliner) error { p.Get(t.Context(), "key"); return nil })
			return err
		},
		"the check of readiness": func() error { return db.Readable(t.Context()) },
	} {
		if err := read(); err == nil {
			t.Errorf("%s is answered by a replica", name)
		}
	}
	named.Store(master.Addr)
	redistest.Eventually(t, "the master is read", func() bool {
		value, err := db.Client.Get(t.Context(), "key").Result()
		return err == nil && value == "value"
	})
}

// A master whose writes are paused, as before a switch-over, is read all the same, and each
// read has its own reply, over connections that are made meanwhile too.
func TestPausedMaster_ServesReads(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	for i := range 16 {
		if err := master.Client().Set(t.Context(), fmt.Sprint("key", i), i, 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	var named atomic.Value
	named.Store(master.Addr)
	db := hasty(t, redisdb.Options{URL: "redis://" + sentinelNaming(t, &named).address + "?master_name=main", Mode: redisdb.ModeSentinel})
	defer db.Close()
	if err := master.Client().Do(t.Context(), "client", "pause", "60000", "write").Err(); err != nil {
		t.Fatal(err)
	}
	read := func(i int) (string, error) { return db.Client.Get(t.Context(), fmt.Sprint("key", i)).Result() }
	redistest.Eventually(t, "it is read", func() bool { _, err := read(0); return err == nil })
	if err := master.Client().Do(t.Context(), "client", "unpause").Err(); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			if value, err := read(i); err == nil && value != fmt.Sprint(i) {
				t.Errorf("key %d: %q", i, value)
			}
		})
	}
	wait.Wait()
}

// twoMasters starts the masters of before and after a switch-over; each has its name as "key".
func twoMasters(t *testing.T) (before, after *redistest.Server) {
	t.Helper()
	before, after = redistest.Start(t), redistest.Start(t)
	for server, value := range map[*redistest.Server]string{before: "before", after: "after"} {
		if err := server.Client().Set(t.Context(), "key", value, 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return before, after
}

// A connection that was being made while the Sentinels switched over is closed: the master of
// before takes what is written, and loses it.
func TestConnection_ClosedAfterFailoverDuringDial(t *testing.T) {
	t.Parallel()
	before, after := twoMasters(t)
	var named atomic.Value
	named.Store(before.Addr)
	sentinel := sentinelNaming(t, &named)
	sentinel.asked = func() { named.CompareAndSwap(before.Addr, after.Addr) } // only the first who asks is told of before
	db := hasty(t, redisdb.Options{URL: "redis://" + sentinel.address + "?master_name=main", Mode: redisdb.ModeSentinel})
	defer db.Close()
	redistest.Eventually(t, "the next master is read", func() bool {
		value, err := db.Client.Get(t.Context(), "key").Result()
		if value == "before" {
			t.Fatal("the master of before is read")
		}
		return err == nil
	})
}

// The first Sentinel that tells of a switch-over is followed, though the one that go-redis
// hears knows nothing yet: connections to the master of before are closed, and new ones lead to
// the next.
func TestSentinel_FirstReportFollowed(t *testing.T) {
	t.Parallel()
	before, after := twoMasters(t)
	var named atomic.Value
	named.Store(before.Addr)
	first, second := sentinelNaming(t, &named), sentinelNaming(t, &named)
	db := hasty(t, redisdb.Options{URL: "redis://" + first.address + "?master_name=main&addr=" + second.address, Mode: redisdb.ModeSentinel})
	defer db.Close()
	reads := func(want string) func() bool {
		return func() bool {
			value, err := db.Client.Get(t.Context(), "key").Result()
			return err == nil && value == want
		}
	}
	redistest.Eventually(t, "the first master is read", reads("before"))
	// go-redis hears one of the two.
	redistest.Eventually(t, "both are heard", func() bool { return first.subscribed.Load()+second.subscribed.Load() == 3 })
	if second.subscribed.Load() == 2 {
		second = first
	}
	second.tell("another " + strings.TrimPrefix(switchedOver(before.Addr, after.Addr), "main "))
	second.tell(switchedOver(before.Addr, after.Addr))
	redistest.Eventually(t, "the next master is read", reads("after"))
	for range 20 {
		if reads("before")() {
			t.Fatal("the master of before is read again")
		}
	}
	second.tell(switchedOver(after.Addr, before.Addr))
	redistest.Eventually(t, "and the first again", reads("before"))
	second.tell(switchedOver(before.Addr, "127.0.0.1:1"))
	second.tell(switchedOver("127.0.0.1:1", after.Addr))
	redistest.Eventually(t, "the last of two switch-overs is followed", reads("after"))
}

// switchedOver returns a Sentinel's message of a switch-over.
func switchedOver(before, next string) string {
	return strings.ReplaceAll("main "+before+" "+next, ":", " ")
}

// namingSentinel is a Sentinel that names a master.
type namingSentinel struct {
	address    string
	asked      func() // called after each answer
	subscribed atomic.Int32
	mu         sync.Mutex
	listeners  []*server.Peer
}

// tell tells the listeners of a switch-over.
func (s *namingSentinel) tell(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.listeners {
		c.Block(func(w *server.Writer) {
			w.WriteLen(3)
			w.WriteBulk("message")
			w.WriteBulk("+switch-master")
			w.WriteBulk(message)
			w.Flush()
		})
	}
}

// sentinelNaming starts a Sentinel that names the master that master holds.
func sentinelNaming(t *testing.T, master *atomic.Value) *namingSentinel {
	t.Helper()
	naming := &namingSentinel{asked: func() {}}
	sentinel, err := server.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	commands := map[string]server.Cmd{
		"SENTINEL": func(c *server.Peer, _ string, args []string) {
			if args[0] != "get-master-addr-by-name" {
				c.WriteLen(0) // it knows no other Sentinels
				return
			}
			host, port, _ := net.SplitHostPort(master.Load().(string))
			c.WriteStrings([]string{host, port})
			naming.asked()
		},
		"SUBSCRIBE": func(c *server.Peer, _ string, channels []string) {
			for i, channel := range channels {
				c.WriteLen(3)
				c.WriteBulk("subscribe")
				c.WriteBulk(channel)
				c.WriteInt(i + 1)
			}
			naming.mu.Lock()
			defer naming.mu.Unlock()
			naming.listeners = append(naming.listeners, c)
			naming.subscribed.Add(1)
		},
		"PING": func(c *server.Peer, _ string, _ []string) { c.WriteInline("PONG") },
	}
	for name, command := range commands {
		if err := sentinel.Register(name, command); err != nil {
			t.Fatal(err)
		}
	}
	naming.address = sentinel.Addr().String()
	return naming
}
