package signing_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// While a node drains, a stream goes on; when the node closes, the stream ends and tells its client
// to reconnect.
func TestStream_EndsWhenNodeCloses(t *testing.T) {
	app := e2etest.Unopened(t, io.Discard, "DRAIN_DELAY=1h")
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(alice, lease("Lease", "SENT", "bob@sandbox.example"))
	stream := alice.Follow(page(id) + "/events")
	stream.Until(`data: {"revision"`)
	delay, over := context.WithCancel(t.Context())
	drained := make(chan struct{})
	go func() { defer close(drained); app.Drain(delay) }()
	e2etest.Eventually(t, "not ready", func() bool { return e2etest.Asked(t, app, "/readyz").Status == http.StatusServiceUnavailable })
	second := alice.Follow(page(create(alice, lease("Second", "SENT", "bob@sandbox.example"))) + "/events")
	second.Until(`data: {"revision"`)
	e2etest.Sign(t, app, e2etest.Program(t, app).SignedIn("bob@sandbox"), id)
	stream.Until("event: done")
	over()
	<-drained
	closed := make(chan error, 1)
	go func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		closed <- app.Close(within)
	}()
	second.Until("retry: 1000")
	if said := second.Rest(); said != "" {
		t.Errorf("the stream goes on: %q", said)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
