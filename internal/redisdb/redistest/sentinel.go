package redistest

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
)

// masterName is what the sentinel calls the master it watches.
const masterName = "countersign"

// Sentinel is one master, one replica of it, and one sentinel that watches them.
type Sentinel struct {
	Master, Replica *Server
	sentinel        *Server
}

// StartSentinel starts a Sentinel and waits until it knows master and replica.
func StartSentinel(t testing.TB) *Sentinel {
	t.Helper()
	s := &Sentinel{Master: Start(t)}
	host, port, err := net.SplitHostPort(s.Master.Addr)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s.Replica = Start(t, "--replicaof", host+" "+port)
	s.sentinel = startSentinel(t, host, port)
	client := s.sentinel.Client()
	Eventually(t, "the sentinel knows master and replica", func() bool {
		master, err := client.Do(context.Background(), "sentinel", "master", masterName).Slice()
		return err == nil && field(master, "flags") == "master" && field(master, "num-slaves") == "1"
	})
	return s
}

// URL is the sentinel's, in the form of mode sentinel.
func (s *Sentinel) URL() string { return s.sentinel.URL() + "?master_name=" + masterName }

// Failover makes the replica master, as an operator would, and waits until it is.
func (s *Sentinel) Failover(t testing.TB) {
	t.Helper()
	client := s.sentinel.Client()
	// Until it has asked the replica how it is, the sentinel does not trust it.
	Eventually(t, "the sentinel agrees to fail over", func() bool {
		return client.Do(context.Background(), "sentinel", "failover", masterName).Err() == nil
	})
	Eventually(t, "the replica is master", func() bool {
		master, err := client.Do(context.Background(), "sentinel", "get-master-addr-by-name", masterName).StringSlice()
		return err == nil && len(master) == 2 && net.JoinHostPort(master[0], master[1]) == s.Replica.Addr
	})
	s.Master, s.Replica = s.Replica, s.Master
}

// Passwords are what Redis and the sentinel ask for, and of another user of the sentinel.
type Passwords struct{ Redis, Sentinel, User, UserPassword string }

// Require has Redis and the sentinel ask for these from now on.
func (s *Sentinel) Require(t testing.TB, p Passwords) {
	t.Helper()
	sentinel, master, replica := s.sentinel.Client(), s.Master.Client(), s.Replica.Client()
	for _, step := range []struct {
		client  *redis.Client
		command []any
	}{
		{sentinel, []any{"sentinel", "set", masterName, "auth-pass", p.Redis}},
		{replica, []any{"config", "set", "masterauth", p.Redis}},
		{master, []any{"config", "set", "requirepass", p.Redis}},
		{replica, []any{"config", "set", "requirepass", p.Redis}},
		{sentinel, []any{"acl", "setuser", p.User, "on", ">" + p.UserPassword, "+@all"}},
		{sentinel, []any{"acl", "setuser", "default", ">" + p.Sentinel}},
	} {
		if err := step.client.Do(context.Background(), step.command...).Err(); err != nil {
			t.Fatalf("redistest: %v: %v", step.command[:2], err)
		}
	}
}

// startSentinel runs redis-server as a sentinel; it insists on a file to write
// its memory to.
func startSentinel(t testing.TB, host, port string) *Server {
	t.Helper()
	own := freePort(t)
	s := newServer(t, own)
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	config := "bind 127.0.0.1\nport " + strconv.Itoa(own) + "\n" +
		"sentinel monitor " + masterName + " " + host + " " + port + " 1\n" +
		"sentinel down-after-milliseconds " + masterName + " 1000\n" +
		"sentinel failover-timeout " + masterName + " 3000\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s.args = []string{file, "--sentinel"}
	s.launch()
	return s
}

// field is the value of name in a flat list of names and values.
func field(list []any, name string) string {
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] == name {
			value, _ := list[i+1].(string)
			return value
		}
	}
	return ""
}
