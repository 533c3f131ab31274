package bench_test

import (
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// BenchmarkRelayedGet measures GET /users/me/authenticators: a session from Redis, one
// call of the platform, an answer. Bare is httputil.ReverseProxy to the same call of the
// same platform, after one GET of a value of a session's size from the same Redis.
// oauth2-proxy, if installed, relays the same call.
func BenchmarkRelayedGet(b *testing.B) { relayedGet(b, newBench(b)) }

// BenchmarkRelayedGetFixed is BenchmarkRelayedGet with a platform that answers at once.
func BenchmarkRelayedGetFixed(b *testing.B) {
	relayedGet(b, newBenchBehind(b, func(sandbox string) string { return fixed(b, sandbox) }))
}

func relayedGet(b *testing.B, t *bench) {
	b.Helper()
	all := t.crowd(b, func(c *e2etest.Client) {
		for range 4 {
			c.Register(e2etest.NewPasskey(t.app()))
		}
	})
	registrations := func(user string) string {
		name, domain, _ := strings.Cut(user, "@")
		return "/fido-registrations?userID=" + name + "&domain=" + domain + "&offset=0&limit=100"
	}
	duels(b, t.ours(all, func(string) string { return "/users/me/authenticators" }), t.bare(b, all, registrations, nil), t.others(b, all, registrations)...)
}

// BenchmarkSession measures GET /session: a session from Redis, an answer. Bare is a gin
// handler that gives the same answer after one GET of a value of a session's size.
func BenchmarkSession(b *testing.B) {
	t := newBench(b)
	all := t.crowd(b, func(*e2etest.Client) {})
	path := func(string) string { return "/session" }
	ours := t.ours(all, path)
	ours.connect(b, 1)
	body, err := ours.ask(ours.conns[0])
	if err != nil {
		b.Fatal(err)
	}
	duels(b, ours, t.bare(b, all, path, body))
}
