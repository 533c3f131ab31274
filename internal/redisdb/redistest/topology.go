package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// slots is the number of slots of any Redis Cluster.
const slots = 16384

// Cluster is a Redis Cluster of three masters without replicas.
type Cluster struct {
	Nodes []*Server
}

// StartCluster starts a Cluster and waits until every node serves. Further arguments
// are redis-server's own, for each node.
func StartCluster(t testing.TB, args ...string) *Cluster {
	t.Helper()
	c := &Cluster{}
	args = append([]string{"--cluster-enabled", "yes", "--cluster-node-timeout", "1000"}, args...)
	for range 3 {
		server := newServer(t, freePort(t), args...)
		server.launch()
		c.Nodes = append(c.Nodes, server)
	}
	c.join(t)
	return c
}

// URL names every node, in the form of mode cluster.
func (c *Cluster) URL() string {
	var more []string
	for _, node := range c.Nodes[1:] {
		more = append(more, "addr="+node.Addr)
	}
	return c.Nodes[0].URL() + "?" + strings.Join(more, "&")
}

// join shares out the slots, introduces the nodes to each other, and waits until
// each of them has heard of all.
func (c *Cluster) join(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	host, port, err := net.SplitHostPort(c.Nodes[0].Addr)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	for i, node := range c.Nodes {
		client := node.Client()
		from, to := i*slots/len(c.Nodes), (i+1)*slots/len(c.Nodes)-1
		if err := client.ClusterAddSlotsRange(ctx, from, to).Err(); err != nil {
			t.Fatalf("redistest: share out slots: %v", err)
		}
		// Nodes that start with one epoch each need no argument about it.
		if err := client.Do(ctx, "cluster", "set-config-epoch", i+1).Err(); err != nil {
			t.Fatalf("redistest: set the epoch: %v", err)
		}
		if err := client.ClusterMeet(ctx, host, port).Err(); err != nil {
			t.Fatalf("redistest: introduce the nodes: %v", err)
		}
	}
	c.Settled(t)
}

// Settled waits until every node serves and knows all the others: after a start,
// and after nodes were away.
func (c *Cluster) Settled(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	for _, node := range c.Nodes {
		client := node.Client()
		Eventually(t, "the cluster serves at "+node.Addr, func() bool {
			info, err := client.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") &&
				strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", len(c.Nodes)))
		})
	}
}

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
