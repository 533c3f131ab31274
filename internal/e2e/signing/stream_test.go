package signing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// A stream tells that something has changed while a package is with its signers, without
// details about other people.
func events(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	program := e2etest.Program(t, app).SignedIn("carol@sandbox")
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	stream := program.Follow(page(id) + "/events")
	first := stream.Until(`data: {"revision"`)
	if !strings.Contains(first, `event: state|data: {"status":"SENT"}`) || strings.Contains(strings.ToLower(first), "bob") {
		t.Errorf("it begins with %s", first)
	}
	e2etest.Sign(t, app, p.bob, id)
	if change := stream.Until(`data: {"revision"`); strings.Contains(first, strings.TrimPrefix(change, "\n")) {
		t.Errorf("it tells the same again: %s", change)
	}
	e2etest.Sign(t, app, p.carol, id)
	if end := stream.Until("event: done"); !strings.Contains(end, `data: {"status":"COMPLETED"}`) {
		t.Errorf("it ends with %s", end)
	}
	program.Send("GET", page(id)+"/events", nil).Want(http.StatusNoContent)
	e2etest.Program(t, app).SignedIn("alice@sandbox").Send("HEAD", page(id)+"/events", nil).Want(http.StatusNoContent)
	has(t, p.carol.Page("/packages?tab=done"), "Completed") // the stream updated the index
}

// A removed signer receives nothing more, while the owner still does; after signing out, or
// being signed out, nobody does.
func TestStream_RemovedSignerReceivesNothing(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "OPERATORS=alice@sandbox")
	p := meet(t, app)
	ends := func(t *testing.T, stream *e2etest.Events) {
		t.Helper()
		clock.Advance(2 * time.Second)
		if said := stream.Rest(); said != "" {
			t.Errorf("it says %s", said)
		}
	}
	for name, remove := range map[string]func(path string) e2etest.Reply{
		"the role goes": func(path string) e2etest.Reply { return p.alice.Send("DELETE", path+"/roles/carol", nil) },
		"it is deleted": func(path string) e2etest.Reply { return p.alice.Send("DELETE", path, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			program := e2etest.Program(t, app).SignedIn("carol@sandbox")
			id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
			stream := program.Follow(page(id) + "/events")
			stream.Until(`data: {"revision"`)
			remove("/api" + page(id)).Want(http.StatusOK)
			ends(t, stream)
			program.Send("GET", page(id)+"/events", nil).Refused(http.StatusNotFound, "request.not-found")
		})
	}
	one, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example"))
	first, second := one.Follow(page(id)+"/events"), other.Follow(page(id)+"/events")
	first.Until(`data: {"revision"`)
	second.Until(`data: {"revision"`)
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	ends(t, first)
	p.alice.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	ends(t, second)
}
