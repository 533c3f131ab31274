package verification_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// keyed starts a transaction under a key.
func keyed(c *e2etest.Client, key string, body any) e2etest.Reply {
	c.T.Helper()
	return c.Send("PUT", "/api/transaction", body, "Idempotency-Key", key)
}

// about returns a payload whose person has this first name.
func about(first string) map[string]any {
	return with("users", []any{map[string]any{"first_name": first, "last_name": "Muster", "dob": "1980-01-31"}})
}

// A key creates one transaction, and a repetition gets its present state; once it is
// erased nothing of it comes back, and the key stays taken.
func aKeyCreatesOne(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	made := keyed(alice, "first", about("Anna")).Want(http.StatusOK)
	if made.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the first answer says that it is replayed")
	}
	id := made.Text("id")
	again := func() e2etest.Reply {
		r := keyed(alice, "first", about("Anna"))
		if r.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%d %v does not say that it is replayed", r.Status, r.Header)
		}
		return r
	}
	e2etest.Untouched(t, app, func() {
		if r, now := again().Want(http.StatusOK), alice.Send("GET", "/api/transaction/"+id, nil); !bytes.Equal(r.Body, now.Body) {
			t.Errorf("replayed as %s, it is %s", r.Body, now.Body)
		}
	}, "createTransaction", "createSessionToken")
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed"})
	if status := again().Want(http.StatusOK).Text("status"); status != "completed" {
		t.Errorf("replayed as %s", status)
	}
	keyed(alice, "first", about("Berta")).Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	marks(0)(operator(t, app), id).Want(http.StatusOK)
	for range 2 {
		lacks(t, again().Refused(http.StatusNotFound, notFound), "Anna", "1980", id)
	}
	keyed(alice, "first", about("Berta")).Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
}

// If nothing was created the key stays free; if something may have been, the error says so.
func onceAfterFailures(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createTransaction", "status": 409})
	keyed(alice, "given-back", input()).Refused(http.StatusConflict, "verification.state")
	keyed(alice, "given-back", about("Berta")).Want(http.StatusOK)
	for key, fault := range map[string]e2etest.Fault{"500": {"status": 500}, "no-id": {"status": 200, "body": map[string]any{"status": "new"}}} {
		fault["operation"] = "createTransaction"
		e2etest.Manage(t, app, "POST", "/faults", fault)
		if r := keyed(alice, key, input()); r.Status < 500 {
			t.Errorf("%s: %d %s", key, r.Status, r.Body)
		}
		keyed(alice, key, input()).Refused(http.StatusConflict, "request.idempotency-lost")
	}
}

// A creation refused by a limit succeeds later under the same key.
func TestIdempotencyKey_RetriedAfterLimit(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "RATE_VERIFICATION=1/m", "SESSION_IDLE=1h")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	started(alice)
	keyed(alice, "later", input()).Refused(http.StatusTooManyRequests, "request.rate")
	clock.Advance(2 * time.Minute)
	keyed(alice, "later", input()).Want(http.StatusOK)
	keyed(alice, "later", input()).Want(http.StatusOK) // it creates nothing
}

// A transaction whose pages are on another host is not shown, and its key leads to it.
func onceWithForeignPages(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := started(alice)
	token := map[string]any{"token": "t", "role": "customer", "accessUrl": elsewhere}
	lie(t, app, "createTransaction", map[string]any{"id": id, "status": "new", "tokens": []any{token}})
	keyed(alice, "foreign-pages", input()).Refused(http.StatusBadGateway, "platform.failed")
	if again := keyed(alice, "foreign-pages", input()).Want(http.StatusOK).Text("id"); again != id {
		t.Errorf("it leads to %s", again)
	}
}

// After a lost answer, the same form starts nothing, wherever it is pressed again: on the page
// that says so, after a reload of the form, after going back. It says that the answer was lost,
// and a person who presses then wants another one.
func aLostAnswerStartsNoSecond(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	failed := start(t, c)
	become(t, app, strings.TrimPrefix(failed, "/verifications/"), "result", "Failed")
	become(t, app, strings.TrimPrefix(failed, "/verifications/"), "status", "completed")
	newForm := func(once string) e2etest.Reply {
		return send(t, c, map[string]string{"once": once, "first_name": "Anna", "last_name": "Muster"})
	}
	for path, press := range map[string]func(once string) e2etest.Reply{
		"/verifications/new": newForm,
		failed:               func(once string) e2etest.Reply { return c.Post(failed, "action", "again", "once", once) },
	} {
		onceOf := func(r e2etest.Reply) string { return onceToken.FindStringSubmatch(string(r.Body))[1] }
		loaded := onceOf(c.Page(path))
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createTransaction", "status": 504})
		shown := press(loaded)
		if shown.Status < 500 {
			t.Fatalf("%s: %d", path, shown.Status)
		}
		if kept := onceOf(c.Page(path)); onceOf(shown) != loaded || kept != loaded {
			t.Errorf("%s: after a lost answer %s became %s there and %s in the form", path, loaded, onceOf(shown), kept)
		}
		var lost e2etest.Reply
		e2etest.Untouched(t, app, func() { lost = press(loaded).Want(http.StatusConflict) }, "createTransaction")
		has(t, lost, "The response was lost")
		decided := onceOf(lost)
		next := press(decided).Want(http.StatusSeeOther).Header.Get("Location")
		if another := onceOf(c.Page(path)); another == decided || next == failed {
			t.Errorf("%s: after %s the token is the same", path, next)
		}
	}
}
