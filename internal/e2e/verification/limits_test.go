package verification_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// RATE_LOOKUP limits how often a session makes the platform look up transactions that are
// not its person's; their own cost nothing.
func TestLookup_RateLimited(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_LOOKUP=3/h")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	id := started(alice)
	foreign := func(n string) string { return strings.TrimSuffix(unknownID, "0") + n }
	for _, id := range []string{id, foreign("1"), id} {
		bob.Send("GET", "/api/transaction/"+id+"/evidence", nil).Refused(http.StatusNotFound, notFound)
	}
	for _, path := range []string{"/api/transaction/" + foreign("3"), "/verifications/" + foreign("4") + "/events"} {
		if r := bob.Send("GET", path, nil).Refused(http.StatusTooManyRequests, "request.rate"); r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	for range 5 {
		alice.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK)
	}
	e2etest.Program(t, app).SignedIn("bob@sandbox").Send("GET", "/api/transaction/"+foreign("3"), nil).Refused(http.StatusNotFound, notFound)
}

// RATE_VERIFICATION limits a person's creations that reach the platform, over all their
// sessions; those refused before do not count.
func TestCreation_RateLimited(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=3/h")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	for range 4 {
		alice.Send("PUT", "/api/transaction", with("language", 7)).Refused(http.StatusBadRequest, "request.invalid")
	}
	started(alice)
	started(e2etest.Program(t, app).SignedIn("alice@sandbox"))
	start(t, e2etest.Browser(t, app).SignedIn("ALICE@sandbox"))
	if r := alice.Send("PUT", "/api/transaction", input()).Refused(http.StatusTooManyRequests, "request.rate"); r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	started(e2etest.Program(t, app).SignedIn("bob@sandbox"))
}

// Erasing requires a fresh sign-in; the page asks for it and comes back.
func TestErasure_RequiresFreshSignIn(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "STEP_UP_AGE=10m")
	id := started(e2etest.Program(t, app).SignedIn("alice@sandbox"))
	carol, page := operator(t, app), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	clock.Advance(11 * time.Minute)
	for _, path := range []string{"/api/transactions/mark-for-erasure", "/api/transaction/unmark-for-erasure"} {
		e2etest.Untouched(t, app, func() {
			carol.Send("POST", path, erasing(id)).Refused(http.StatusForbidden, "session.step-up")
		}, "markForErasure", "unmarkForErasure")
	}
	where := page.Post("/verifications/"+id, "action", "erase", "days", "7").Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(where, "/login?next=") || !strings.Contains(where, id) {
		t.Errorf("led to %s", where)
	}
	lacks(t, page.Page("/verifications/"+id).Want(http.StatusOK), "Will be erased on")
	operator(t, app).Send("POST", "/api/transactions/mark-for-erasure", erasing(id)).Want(http.StatusOK)
}

// Settings decide who can start and who can erase.
func TestSettings_PermittedUsers(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "IDV_CREATORS=operators", "IDV_ERASURE=starter")
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), operator(t, app)
	alice.Send("PUT", "/api/transaction", input()).Refused(http.StatusForbidden, operatorsOnly)
	page := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	lacks(t, page.Page("/verifications").Want(http.StatusOK), "Start an identity check")
	send(t, page, map[string]string{"first_name": "Ada", "last_name": "Archer"}).Want(http.StatusForbidden)
	id := started(carol)
	if told := erased(t, alice.Send("POST", "/api/transactions/mark-for-erasure", erasing(id)).Want(http.StatusOK)); told[0]["marking_event"] == "Transaction Erase Request - Accepted" {
		t.Error("somebody erases what is not theirs")
	}
	carol.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK)
}
