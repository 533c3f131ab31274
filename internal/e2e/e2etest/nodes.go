package e2etest

import (
	"io"
	"slices"
	"strings"
	"testing"

	"countersign/internal/redisdb/redistest"
)

// BootNodes starts count nodes in production, with electronic signing, in front of one
// platform and over one Redis, and the clock of all of them. Redis keeps its own time.
func BootNodes(t testing.TB, count int, settings ...string) ([]*App, *Clock) {
	t.Helper()
	clock := &Clock{}
	return BootNodesApart(t, redistest.Start(t).URL(), slices.Repeat([]*Clock{clock}, count), settings...), clock
}

// BootNodesApart is BootNodes over the Redis of this URL, with a node for each clock. The
// platform keeps its own time.
func BootNodesApart(t testing.TB, redis string, clocks []*Clock, settings ...string) []*App {
	t.Helper()
	p := newPlatform(t)
	all := append([]string{
		"PUBLIC_ORIGIN=" + productionOrigin, "PLATFORM_URL=http://" + p.address, "REDIS_URL=" + redis,
		"IDENTITY_AUTHORIZATION=none", "SIGNING_API_KEY=none", "OPERATORS=carol@sandbox",
		"SESSION_KEYS=" + strings.Repeat("a73c", 16), "DECOY_KEY=" + strings.Repeat("5ed1", 16), "ACCESS_KEYS=" + strings.Repeat("19b8", 16),
	}, settings...)
	nodes := make([]*App, len(clocks))
	for i, clock := range clocks {
		nodes[i] = start(t, unopened(t, options{log: io.Discard, now: clock.Now, redisTimeout: patience}, all))
		nodes[i].platform = "http://" + p.address
	}
	return nodes
}

// On returns the client of a session on another node.
func (c *Client) On(app *App) *Client {
	c.T.Helper()
	other := Program(c.T, app)
	other.Header = c.Header
	return other
}
