package signing_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// Two nodes over one Redis carry out a request with a key once, however many send it at
// once.
func TestIdempotencyOnTwoNodes(t *testing.T) {
	t.Parallel()
	shared := []string{
		sandboxKey, "REDIS_URL=" + redistest.Start(t).URL(), "SESSION_KEYS=" + strings.Repeat("a73c", 16),
		"DECOY_KEY=" + strings.Repeat("5ed1", 16), "ACCESS_KEYS=" + strings.Repeat("19b8", 16),
	}
	one := e2etest.BootPatiently(t, shared...)
	other := e2etest.BootPatiently(t, append(shared, "SIGNING_URL="+one.SandboxURL())...)
	here := e2etest.Program(t, one).SignedIn("alice@sandbox")
	there := e2etest.Program(t, other)
	there.Header = here.Header
	name, body := named(t)
	replies := make([]e2etest.Reply, 10)
	var wait sync.WaitGroup
	for i := range replies {
		wait.Go(func() {
			replies[i] = []*e2etest.Client{here, there}[i%2].Send("POST", "/api/packages", body, "Idempotency-Key", "at-once")
		})
	}
	wait.Wait()
	last := there.Send("POST", "/api/packages", body, "Idempotency-Key", "at-once").Want(http.StatusOK)
	for _, r := range replies {
		if r.Status != http.StatusConflict && !bytes.Equal(r.Body, last.Body) {
			t.Errorf("%d %s, later %s", r.Status, r.Body, last.Body)
		}
	}
	if got := packagesNamed(t, one, name); got != 1 {
		t.Errorf("made %d times", got)
	}
	here.Send("POST", "/api/packages", map[string]any{"name": name + "!"}, "Idempotency-Key", "at-once").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
}

// Redis goes away before or after each command of a creation in turn. The client gets 503
// or the answer, and has one package after repeating it.
func TestIdempotencyWhileRedisBreaks(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]e2etest.Breakage{"refused": {}, "answers lost": {Arrives: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			line := e2etest.NewRedisLine(t, server.Addr)
			app := e2etest.BootPatiently(t, sandboxKey, "UPSTREAM_TIMEOUT=1s", "REDIS_URL="+line.URL())
			alice := e2etest.Program(t, app).Patiently(line).SignedIn("alice@sandbox")
			alice.Send("POST", "/api/packages", map[string]any{"name": "Warm"}, "Idempotency-Key", "warm").Want(http.StatusOK)
			create := func(i int) e2etest.Reply {
				return alice.Send("POST", "/api/packages", map[string]any{"name": fmt.Sprintf("%s %d.", t.Name(), i)}, "Idempotency-Key", fmt.Sprint(i))
			}
			for i, broke := 0, true; broke && i < 60; i++ {
				line.BreakAfter(i, how)
				r := create(i)
				if broke = line.Mend(); r.Status != http.StatusOK && r.Status != http.StatusServiceUnavailable {
					t.Errorf("broken at command %d: %d %s", i, r.Status, r.Body)
				}
				redistest.Age(t, server.Client(), 10*time.Second) // the lease of the node that lost Redis
				e2etest.Eventually(t, "the key answers", func() bool { return create(i).Status == http.StatusOK })
				if got := packagesNamed(t, app, fmt.Sprintf("%s %d.", t.Name(), i)); got != 1 {
					t.Errorf("broken at command %d: made %d times", i, got)
				}
			}
		})
	}
}
