package packages_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// While a node drains, a stream and an upload under way go on; when it closes, the stream
// ends and tells its client to reconnect, and the upload is finished.
func TestStreamsAndUploadsEndProperly(t *testing.T) {
	app := e2etest.Unopened(t, io.Discard, "DRAIN_DELAY=1h")
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(alice, lease("Lease", "SENT", "bob@sandbox.example"))
	stream := follow(t, alice, id)
	lines(t, stream, `data: {"revision"`)
	body, answered := slowUpload(t, alice)
	e2etest.Eventually(t, "the metrics tell of the stream and the upload", func() bool {
		metrics := e2etest.Asked(t, app, "/metrics").Body
		return e2etest.Has(metrics, "countersign_uploads_in_flight 1\n") && e2etest.Has(metrics, "countersign_event_streams 1\n")
	})

	delay, over := context.WithCancel(t.Context())
	drained := make(chan struct{})
	go func() { defer close(drained); app.Drain(delay) }()
	e2etest.Eventually(t, "not ready", func() bool { return e2etest.Asked(t, app, "/readyz").Status == http.StatusServiceUnavailable })
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	e2etest.Sign(t, app, bob, id)
	lines(t, stream, "event: done")
	second := follow(t, alice, create(alice, lease("Second", "SENT", "bob@sandbox.example")))
	lines(t, second, `data: {"revision"`)

	over()
	<-drained
	closed := make(chan error, 1)
	go func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		closed <- app.Close(within)
	}()
	lines(t, second, "retry: 1000")
	for second.Scan() {
		if second.Text() != "" {
			t.Errorf("the stream goes on: %q", second.Text())
		}
	}
	if _, err := io.WriteString(body, blank+"\r\n--x--\r\n"); err != nil {
		t.Error(err)
	}
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the upload is answered %d", status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// slowUpload begins an upload whose document is still to come; answered receives the
// answer's status, or 0.
func slowUpload(t *testing.T, c *e2etest.Client) (body *io.PipeWriter, answered <-chan int) {
	t.Helper()
	from, to := io.Pipe()
	t.Cleanup(func() { to.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.App.URL()+"/api/packages", from)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = c.Header.Clone()
	request.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	head := "--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n" + `{"name":"a","documents":[{"id":"a","name":"A"}]}` +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n"
	if _, err := io.WriteString(to, head); err != nil {
		t.Fatal(err)
	}
	return to, status
}
