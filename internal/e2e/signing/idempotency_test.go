package signing_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// named returns a package with a unique name.
func named(t *testing.T) (name string, body map[string]any) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", " ")
	return name, map[string]any{"name": name}
}

// packagesNamed returns the number of packages of that name at the platform.
func packagesNamed(t *testing.T, app *e2etest.App, name string) int {
	t.Helper()
	count, _ := e2etest.AtPlatform(t, app, "GET", "/api/packages?search="+url.QueryEscape(name), nil).Member("count").(float64)
	return int(count)
}

// replayed checks that r is the same answer as first.
func replayed(t *testing.T, first, r e2etest.Reply) {
	t.Helper()
	if r.Header.Get("Idempotency-Replayed") != "true" || r.Status != first.Status || !bytes.Equal(r.Body, first.Body) ||
		r.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		t.Errorf("%d %v %s, want again %d %s", r.Status, r.Header, r.Body, first.Status, first.Body)
	}
	if got := first.Header.Get("Idempotency-Replayed"); got != "" {
		t.Errorf("the first answer says that it is replayed: %q", got)
	}
}

func TestIdempotency_FirstResponseRepeated(t *testing.T) {
	t.Parallel()
	e2etest.Share(t, e2etest.Boot(t), firstAnswerAgain, clones)
}

func firstAnswerAgain(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	name, body := named(t)
	first := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "first").Want(http.StatusOK)
	replayed(t, first, alice.Send("POST", "/api/packages", body, "Idempotency-Key", "first"))
	replayed(t, first, alice.Send("POST", "/api/packages/", body, "Idempotency-Key", "first"))
	replayed(t, first, e2etest.Program(t, app).SignedIn("alice@sandbox").Send("POST", "/api/packages", body, "Idempotency-Key", "first"))
	alice.Send("POST", "/api/packages", map[string]any{"name": name + "!"}, "Idempotency-Key", "first").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	alice.Send("POST", "/api/packages/"+first.Text("id")+"/clone", body, "Idempotency-Key", "first").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	if r := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "a b").Refused(http.StatusBadRequest, "request.invalid"); e2etest.Pointers(t, r) != "/Idempotency-Key" {
		t.Errorf("%s", r.Body)
	}
	if got := packagesNamed(t, app, name); got != 1 {
		t.Errorf("made %d times", got)
	}
	parts := []part{payload(`{"name":"Form","documents":[{"name":"Lease"}]}`), attached("lease.pdf", paper("lease"))}
	inForm := func(parts ...part) e2etest.Reply {
		return alice.Send("POST", "/api/packages", form(parts...), "Content-Type", formType, "Idempotency-Key", "form")
	}
	replayed(t, inForm(parts...).Want(http.StatusOK), inForm(parts[1], parts[0]))
	second := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "second").Want(http.StatusOK)
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox").Send("POST", "/api/packages", body, "Idempotency-Key", "first").Want(http.StatusOK)
	none := alice.Send("POST", "/api/packages", body).Want(http.StatusOK)
	ids := map[string]bool{first.Text("id"): true, second.Text("id"): true, bob.Text("id"): true, none.Text("id"): true}
	if len(ids) != 4 {
		t.Errorf("%d packages of 4 keys", len(ids))
	}
}

func clones(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	name, body := named(t)
	path := "/api/packages/" + alice.Send("POST", "/api/packages", map[string]any{"name": "Original"}).Want(http.StatusOK).Text("id") + "/clone"
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "clonePackage", "cut": 0})
	if r := alice.Send("POST", path, body, "Idempotency-Key", "lost"); r.Status < 500 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	first := alice.Send("POST", path, body, "Idempotency-Key", "lost").Want(http.StatusOK)
	if got := packagesNamed(t, app, name); got != 1 {
		t.Errorf("cloned %d times", got)
	}
	// A clone of a package that was made under a key is another package.
	path = "/api/packages/" + first.Text("id") + "/clone"
	if again := alice.Send("POST", path, nil).Want(http.StatusOK); again.Text("id") == first.Text("id") {
		t.Error("the clone is its original")
	}
}
