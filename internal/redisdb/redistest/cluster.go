package redistest

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
)

// slots is the number of slots of any Redis Cluster.
const slots = 16384

// Cluster is a Redis Cluster of three masters, each with a replica or without.
type Cluster struct {
	// Nodes are the masters. Replicas[i] follows Nodes[i].
	Nodes, Replicas []*Server
}

// StartCluster starts a Cluster without replicas and waits until every node serves.
// Further arguments are redis-server's own, for each node.
func StartCluster(t testing.TB, args ...string) *Cluster {
	t.Helper()
	c := &Cluster{Nodes: startNodes(t, patiently, args)}
	c.join(t)
	return c
}

// StartReplicatedCluster starts a Cluster with a replica for each master; it takes over
// about three seconds after its master went away.
func StartReplicatedCluster(t testing.TB, args ...string) *Cluster {
	t.Helper()
	c := &Cluster{Nodes: startNodes(t, soon, args), Replicas: startNodes(t, soon, args)}
	c.join(t)
	c.replicate(t)
	return c
}

// soon and patiently are how many milliseconds a node may be silent before the others
// give it up. On a busy machine a healthy node can be silent for a while; without
// replicas nothing waits for the longer time.
const soon, patiently = "2000", "30000"

func startNodes(t testing.TB, silence string, args []string) (nodes []*Server) {
	t.Helper()
	args = append([]string{"--cluster-enabled", "yes", "--cluster-node-timeout", silence, "--repl-diskless-sync-delay", "0"}, args...)
	for range 3 {
		server := newServer(t, FreePort(t), args...)
		server.launch()
		nodes = append(nodes, server)
	}
	return nodes
}

// URL names every node, in the form of mode cluster.
func (c *Cluster) URL() string {
	var more []string
	for _, node := range c.all()[1:] {
		more = append(more, "addr="+node.peer())
	}
	return c.Nodes[0].peerURL() + "?" + strings.Join(more, "&")
}

func (c *Cluster) all() []*Server { return slices.Concat(c.Nodes, c.Replicas) }

// join distributes the slots among the masters, introduces the nodes to each other, and
// waits until each knows all.
func (c *Cluster) join(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	host, port, err := net.SplitHostPort(c.Nodes[0].peer())
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	for i, node := range c.Nodes {
		from, to := i*slots/len(c.Nodes), (i+1)*slots/len(c.Nodes)-1
		if err := node.Client().ClusterAddSlotsRange(ctx, from, to).Err(); err != nil {
			t.Fatalf("redistest: share out slots: %v", err)
		}
	}
	for i, node := range c.all() {
		client := node.Client()
		// Nodes that start with one epoch each need no vote about it.
		if err := client.Do(ctx, "cluster", "set-config-epoch", i+1).Err(); err != nil {
			t.Fatalf("redistest: set the epoch: %v", err)
		}
		if err := client.ClusterMeet(ctx, host, port).Err(); err != nil {
			t.Fatalf("redistest: meet: %v", err)
		}
	}
	c.Settled(t)
}

// replicate makes each replica follow its master, and waits until all are in step.
func (c *Cluster) replicate(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	for i, replica := range c.Replicas {
		client := replica.Client()
		if err := client.ClusterReplicate(ctx, c.Nodes[i].id(t)).Err(); err != nil {
			t.Fatalf("redistest: replicate: %v", err)
		}
		replica.inStep(t)
	}
	c.Settled(t)
}

// inStep waits until a replica has all its master's data.
func (s *Server) inStep(t testing.TB) {
	t.Helper()
	s.inStepWith(t, nil)
}

// inStepWith waits until the replica is in step with that master, nil for any.
func (s *Server) inStepWith(t testing.TB, master *Server) {
	t.Helper()
	port := ""
	if master != nil {
		port = "master_port:" + master.Addr[strings.LastIndex(master.Addr, ":")+1:] + "\r\n"
	}
	client := s.Client()
	Eventually(t, s.Addr+" is in step with its master", func() bool {
		info, err := client.Info(context.Background(), "replication").Result()
		return err == nil && strings.Contains(info, "role:slave") && strings.Contains(info, "master_link_status:up") && strings.Contains(info, port)
	})
}

// id returns the node's name in its cluster.
func (s *Server) id(t testing.TB) string {
	t.Helper()
	id, err := s.Client().Do(context.Background(), "cluster", "myid").Text()
	if err != nil {
		t.Fatalf("redistest: id: %v", err)
	}
	return id
}

// Settled waits until every running node serves, and knows all other nodes and the owners
// of the slots: after a start, and after nodes were away. A node may serve earlier, if
// part of the slots is enough to serve.
func (c *Cluster) Settled(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	for _, node := range c.all() {
		if !node.running() {
			continue
		}
		client := node.Client()
		Eventually(t, "the cluster serves at "+node.Addr, func() bool {
			info, err := client.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") &&
				strings.Contains(info, fmt.Sprintf("cluster_slots_assigned:%d\r\n", slots)) &&
				strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", len(c.all())))
		})
	}
}

// FailedOver waits until the replica of Nodes[i] has taken over and every running node
// knows it. The two then change places in Nodes and Replicas.
func (c *Cluster) FailedOver(t testing.TB, i int) {
	t.Helper()
	c.Nodes[i], c.Replicas[i] = c.Replicas[i], c.Nodes[i]
	master := c.Nodes[i].id(t)
	for _, node := range c.all() {
		if !node.running() {
			continue
		}
		client := node.Client()
		Eventually(t, node.Addr+" knows the new master", func() bool {
			known, err := client.ClusterNodes(context.Background()).Result()
			return err == nil && slices.ContainsFunc(strings.Split(known, "\n"), func(line string) bool {
				fields := strings.Fields(line) // id, address, flags, five more, and a master's slots
				return len(fields) > 8 && fields[0] == master
			})
		})
	}
	c.Settled(t)
}
