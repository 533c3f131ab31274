package redistest

import (
	"context"
	"net"
	"slices"
	"testing"
)

// Migration is a slot on its way from one master of a Cluster to another.
type Migration struct {
	c        *Cluster
	key      string
	slot     int64
	from, to *Server
}

// Migrate begins to move the slot of key to another master. Its keys stay until they are
// moved one by one; a command of two keys that lie on different masters is answered with
// TRYAGAIN.
func (c *Cluster) Migrate(t testing.TB, key string) *Migration {
	t.Helper()
	ctx := context.Background()
	slot, err := c.Nodes[0].Client().ClusterKeySlot(ctx, key).Result()
	if err != nil {
		t.Fatalf("redistest: slot of %s: %v", key, err)
	}
	owner := slices.IndexFunc(c.Nodes, func(node *Server) bool { return node.Client().Exists(ctx, key).Err() == nil })
	if owner < 0 {
		t.Fatalf("redistest: nobody has slot %d", slot)
	}
	m := &Migration{c: c, key: key, slot: slot, from: c.Nodes[owner], to: c.Nodes[(owner+1)%len(c.Nodes)]}
	m.set(t, m.to, "importing", m.from)
	m.set(t, m.from, "migrating", m.to)
	return m
}

// MoveSlot moves the slot of key with all of its keys, one by one.
func (c *Cluster) MoveSlot(t testing.TB, key string) {
	t.Helper()
	ctx := context.Background()
	m := c.Migrate(t, key)
	from := m.from.Client()
	for {
		keys, err := from.ClusterGetKeysInSlot(ctx, int(m.slot), 100).Result()
		if err != nil {
			t.Fatalf("redistest: keys of slot %d: %v", m.slot, err)
		}
		if len(keys) == 0 {
			break
		}
		for _, one := range keys {
			m.Move(t, one)
		}
	}
	m.End(t)
}

// Move moves one key of the slot.
func (m *Migration) Move(t testing.TB, key string) {
	t.Helper()
	host, port, err := net.SplitHostPort(m.to.Addr)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	if err := m.from.Client().Migrate(context.Background(), host, port, key, 0, patience).Err(); err != nil {
		t.Fatalf("redistest: move %s: %v", key, err)
	}
}

// End gives the slot, whose keys have all been moved, to its new master, and waits until no
// other node takes it for its own: a busy one may have heard an older word meanwhile.
func (m *Migration) End(t testing.TB) {
	t.Helper()
	m.set(t, m.to, "node", m.to) // first, so that no client is redirected in a circle
	for _, node := range m.c.Nodes {
		m.set(t, node, "node", m.to)
	}
	Eventually(t, "one node has the slot", func() bool {
		return !slices.ContainsFunc(m.c.Nodes, func(node *Server) bool {
			return (node.Client().Exists(context.Background(), m.key).Err() == nil) != (node == m.to)
		})
	})
}

// set tells node that the slot is in state, to or from other.
func (m *Migration) set(t testing.TB, node *Server, state string, other *Server) {
	t.Helper()
	if err := node.Client().Do(context.Background(), "cluster", "setslot", m.slot, state, other.id(t)).Err(); err != nil {
		t.Fatalf("redistest: slot %d %s: %v", m.slot, state, err)
	}
}
