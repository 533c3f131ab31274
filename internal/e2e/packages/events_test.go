package packages_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// follow opens the stream of a package.
func follow(t *testing.T, c *e2etest.Client, id string) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.App.URL()+page(id)+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.Header.Clone()
	response, err := http.DefaultClient.Do(r) // a checked client reads to the end first
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered %d", response.StatusCode)
	}
	return bufio.NewScanner(response.Body)
}

// lines are those of a stream up to the first that begins with end, or to its end.
func lines(t *testing.T, stream *bufio.Scanner, end string) (all string) {
	t.Helper()
	for stream.Scan() {
		if all += stream.Text() + "\n"; strings.HasPrefix(stream.Text(), end) {
			return all
		}
	}
	t.Fatalf("the stream ends without %q: %s (%v)", end, all, stream.Err())
	return all
}

// A stream tells that something has changed while a package is with its signers, and not
// what of other people.
func TestEvents(t *testing.T) {
	app := e2etest.Boot(t)
	p := meet(t, app)
	program := e2etest.Program(t, app).SignedIn("carol@sandbox")
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	stream := follow(t, program, id)
	first := lines(t, stream, `data: {"revision"`)
	if !strings.Contains(first, "event: state\ndata: {\"status\":\"SENT\"}\n") || strings.Contains(strings.ToLower(first), "bob") {
		t.Errorf("it begins with %s", first)
	}
	e2etest.Sign(t, app, p.bob, id)
	if change := lines(t, stream, `data: {"revision"`); strings.Contains(first, strings.TrimPrefix(change, "\n")) {
		t.Errorf("it tells the same again: %s", change)
	}
	e2etest.Sign(t, app, p.carol, id)
	if end := lines(t, stream, "event: done"); !strings.Contains(end, `data: {"status":"COMPLETED"}`) {
		t.Errorf("it ends with %s", end)
	}
	program.Send("GET", page(id)+"/events", nil).Want(http.StatusNoContent)
	e2etest.Program(t, app).SignedIn("alice@sandbox").Send("HEAD", page(id)+"/events", nil).Want(http.StatusNoContent)
	has(t, p.carol.Page("/packages?tab=done"), "Completed") // the stream told the index
}
