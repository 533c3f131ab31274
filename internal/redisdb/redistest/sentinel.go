package redistest

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// masterName is the sentinels' name for the master they watch.
const masterName = "countersign"

// Sentinel is a master, replicas of it, and sentinels that watch them.
type Sentinel struct {
	Master, Replica *Server
	others          []*Server // further replicas
	sentinels       []*Server
}

// StartSentinel starts a Sentinel of one replica and one sentinel, and waits until it
// knows them.
func StartSentinel(t testing.TB) *Sentinel {
	t.Helper()
	return startSentinels(t, 1, 1)
}

// StartSentinels starts a Sentinel of two replicas and three sentinels, two of which must
// agree that the master is away.
func StartSentinels(t testing.TB) *Sentinel {
	t.Helper()
	return startSentinels(t, 2, 3)
}

func startSentinels(t testing.TB, replicas, sentinels int) *Sentinel {
	t.Helper()
	s := &Sentinel{Master: Start(t, "--repl-diskless-sync-delay", "0")}
	host, port, err := net.SplitHostPort(s.Master.Addr)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	for range replicas {
		s.others = append(s.others, Start(t, "--replicaof", host+" "+port))
	}
	for _, replica := range s.others {
		replica.inStep(t)
	}
	s.Replica, s.others = s.others[0], s.others[1:]
	s.watch(t, sentinels)
	return s
}

// watch starts sentinels, and waits until they know all. Further arguments are redis-server's own.
func (s *Sentinel) watch(t testing.TB, sentinels int, args ...string) {
	t.Helper()
	for range sentinels {
		s.sentinels = append(s.sentinels, startSentinel(t, s.Master, (sentinels+1)/2, args...))
	}
	for _, sentinel := range s.sentinels {
		client := sentinel.Client()
		Eventually(t, "the sentinel knows all", func() bool {
			master, err := client.Do(context.Background(), "sentinel", "master", masterName).Slice()
			return err == nil && field(master, "flags") == "master" && field(master, "num-slaves") == strconv.Itoa(1+len(s.others)) &&
				field(master, "num-other-sentinels") == strconv.Itoa(sentinels-1)
		})
	}
}

// URL returns the sentinels' URL, in the form of mode sentinel.
func (s *Sentinel) URL() string {
	query := url.Values{"master_name": {masterName}}
	for _, other := range s.sentinels[1:] {
		query.Add("addr", other.peer())
	}
	return s.sentinels[0].peerURL() + "?" + query.Encode()
}

// Failover makes a replica the master, as an operator would, and waits until it is.
func (s *Sentinel) Failover(t testing.TB) {
	t.Helper()
	client := s.sentinels[0].Client()
	// Until it has queried the replica, the sentinel does not trust it; and it gives up a
	// failover that takes too long.
	Eventually(t, "the sentinel fails over", func() bool {
		master, err := client.Do(context.Background(), "sentinel", "master", masterName).Slice()
		if err != nil || net.JoinHostPort(field(master, "ip"), field(master, "port")) != s.Master.peer() {
			return err == nil
		}
		if !strings.Contains(field(master, "flags"), "failover_in_progress") {
			_ = client.Do(context.Background(), "sentinel", "failover", masterName).Err() // it is asked again
		}
		return false
	})
	s.FailedOver(t)
}

// FailedOver waits until a replica has become master and every sentinel says so. Master
// and replica then change places in s.
func (s *Sentinel) FailedOver(t testing.TB) {
	t.Helper()
	old, replicas, now := s.Master, append([]*Server{s.Replica}, s.others...), ""
	for _, sentinel := range s.sentinels {
		client := sentinel.Client()
		Eventually(t, "a replica is master", func() bool {
			master, err := client.Do(context.Background(), "sentinel", "get-master-addr-by-name", masterName).StringSlice()
			if err != nil || len(master) != 2 {
				return false
			}
			now = net.JoinHostPort(master[0], master[1])
			return now != old.peer()
		})
	}
	at := slices.IndexFunc(replicas, func(r *Server) bool { return r.peer() == now })
	if at < 0 {
		t.Fatalf("redistest: %s is master, and no replica of ours", now)
	}
	s.Master, replicas[at] = replicas[at], old
	s.Replica, s.others = replicas[0], replicas[1:]
}

// Settled waits until the old master is a replica, and every replica is in step with the
// new one. Until then a Sentinel may promote a server that lacks the last writes.
func (s *Sentinel) Settled(t testing.TB) {
	t.Helper()
	for _, replica := range append([]*Server{s.Replica}, s.others...) {
		replica.inStepWith(t, s.Master)
	}
}

// Passwords are the passwords of Redis and the sentinel, and of another user of the
// sentinel.
type Passwords struct{ Redis, Sentinel, User, UserPassword string }

// Require makes Redis and the sentinel ask for these from now on.
func (s *Sentinel) Require(t testing.TB, p Passwords) {
	t.Helper()
	sentinel, master, replica := s.sentinels[0].Client(), s.Master.Client(), s.Replica.Client()
	for _, step := range []struct {
		client  Client
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

// startSentinel runs redis-server as a sentinel of the master; it insists on a file for
// its state.
func startSentinel(t testing.TB, master *Server, quorum int, args ...string) *Server {
	t.Helper()
	own := FreePort(t)
	s := newServer(t, own)
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	config := "bind 127.0.0.1\nport " + strconv.Itoa(own) + "\n" +
		"sentinel monitor " + masterName + " " + strings.Replace(master.peer(), ":", " ", 1) + " " + strconv.Itoa(quorum) + "\n" +
		"sentinel down-after-milliseconds " + masterName + " 1000\n" +
		"sentinel failover-timeout " + masterName + " 3000\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s.args = []string{file, "--sentinel"}
	if master.tls != "" {
		port := strconv.Itoa(FreePort(t))
		s.tls = net.JoinHostPort("127.0.0.1", port)
		s.args = append(append(s.args, "--tls-port", port), args...)
	}
	s.launch()
	return s
}

// field returns the value of name in a flat list of names and values.
func field(list []any, name string) string {
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] == name {
			value, _ := list[i+1].(string)
			return value
		}
	}
	return ""
}
