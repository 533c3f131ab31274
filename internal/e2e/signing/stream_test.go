package signing_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// follow opens the stream of a package.
func follow(t *testing.T, c *e2etest.Client, id string) *bufio.Scanner {
	t.Helper()
	return bufio.NewScanner(c.Stream(page(id) + "/events").Body)
}

// lines returns a stream's lines up to the first that begins with end, or to its end.
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

// A stream tells that something has changed while a package is with its signers, without
// details about other people.
func events(t *testing.T, app *e2etest.App) {
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
	has(t, p.carol.Page("/packages?tab=done"), "Completed") // the stream updated the index
}

// revision returns the number of the stream's next change.
func revision(t *testing.T, stream *bufio.Scanner) (number int64) {
	t.Helper()
	told := lines(t, stream, `data: {"revision"`)
	_, data, _ := strings.Cut(told, `data: {"revision":`)
	if _, err := fmt.Sscanf(data, "%d}", &number); err != nil {
		t.Fatalf("%s is no number: %v", data, err)
	}
	return number
}

// rest returns the stream's lines until it ends.
func rest(stream *bufio.Scanner) (all string) {
	for stream.Scan() {
		all += stream.Text() + "\n"
	}
	return strings.TrimSpace(all)
}

// A removed signer receives nothing more, while the owner still does; after signing out, or
// being signed out, nobody does.
func TestStream_RemovedSignerReceivesNothing(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "OPERATORS=alice@sandbox")
	p := meet(t, app)
	ends := func(t *testing.T, stream *bufio.Scanner) {
		t.Helper()
		clock.Advance(2 * time.Second)
		if said := rest(stream); said != "" {
			t.Errorf("it says %s", said)
		}
	}
	for name, remove := range map[string]func(path string) e2etest.Reply{
		"the role goes": func(path string) e2etest.Reply { return p.alice.Send("DELETE", path+"/roles/carol", nil) },
		"it is trashed": func(path string) e2etest.Reply { return p.alice.Send("PUT", path, object{"trashed": true}) },
		"it is deleted": func(path string) e2etest.Reply { return p.alice.Send("DELETE", path, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			program := e2etest.Program(t, app).SignedIn("carol@sandbox")
			id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
			stream := follow(t, program, id)
			revision(t, stream)
			remove("/api" + page(id)).Want(http.StatusOK)
			ends(t, stream)
			program.Send("GET", page(id)+"/events", nil).Refused(http.StatusNotFound, "request.not-found")
		})
	}
	one, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example"))
	first, second := follow(t, one, id), follow(t, other, id)
	revision(t, first)
	revision(t, second)
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	ends(t, first)
	p.alice.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	ends(t, second)
}
