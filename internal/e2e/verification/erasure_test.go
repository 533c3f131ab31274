package verification_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func erasing(ids ...string) map[string]any {
	return map[string]any{"grace_period": 25, "transaction_ids": ids}
}

// Ids are spelled as one likes, what is taken back stays, and 0 days are at once.
func TestErasure(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "RATE_LOOKUP=off", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h", "STEP_UP_AGE=2400h")
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), operator(t, app)
	kept, atOnce := started(alice), started(alice)
	alice.Send("POST", "/api/transactions/mark-for-erasure", erasing(kept)).Refused(http.StatusForbidden, operatorsOnly)
	marks(25)(carol, strings.ToUpper(kept)).Want(http.StatusOK)
	has(t, alice.Send("GET", "/api/transactions", nil).Want(http.StatusOK), `"erasureAt":"`)
	become(t, app, kept, "status", "completed")
	hers := e2etest.Browser(t, app).SignedIn("alice@sandbox").Page("/verifications/" + kept).Want(http.StatusOK)
	has(t, hers, "Will be erased on")
	lacks(t, hers, ">Take back<")
	unmarks(carol, kept).Want(http.StatusOK)
	has(t, marks(0)(carol, atOnce).Want(http.StatusOK), "The identity check is erased.")
	alice.Send("GET", "/api/transaction/"+atOnce, nil).Refused(http.StatusNotFound, notFound)
	clock.Advance(25*24*time.Hour + time.Minute)
	alice.Send("GET", "/api/transaction/"+kept, nil).Want(http.StatusOK)
	has(t, alice.Send("GET", "/api/transactions", nil).Want(http.StatusOK), `"count":1`)
}

// Erasure is exact: the transaction exists until the last moment of its grace period, and
// is gone after it; the last mark counts.
func TestErasureToTheDay(t *testing.T) {
	t.Parallel()
	const days = 24 * time.Hour
	app, clock := e2etest.BootWithClock(t, "RATE_LOOKUP=off", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h", "STEP_UP_AGE=2400h")
	alice, carol, page := e2etest.Program(t, app).SignedIn("alice@sandbox"), operator(t, app), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	id := withDocument(alice)
	marks(2)(carol, id).Want(http.StatusOK)
	clock.Advance(days)
	marks(3)(carol, id).Want(http.StatusOK) // from now on
	clock.Advance(3*days - time.Hour)
	for _, o := range operations {
		if r := o.of(alice, id); o.method == "GET" && o.active != notFound && r.Status == http.StatusNotFound {
			t.Errorf("%s is gone early", o.path)
		}
	}
	page.Page("/verifications/" + id).Want(http.StatusOK)
	clock.Advance(time.Hour)
	for _, o := range operations {
		o.of(alice, id).Refused(http.StatusNotFound, notFound)
		o.of(carol, id).Refused(http.StatusNotFound, notFound)
	}
	page.Page("/verifications/" + id).Want(http.StatusNotFound)
	lacks(t, page.Page("/verifications").Want(http.StatusOK), id)
	for _, c := range []*e2etest.Client{alice, carol} {
		if list := c.Send("GET", "/api/transactions", nil).Want(http.StatusOK); list.Member("count") != 0.0 {
			t.Errorf("listed as %s", list.Body)
		}
	}
	told := erased(t, unmarks(carol, id).Want(http.StatusOK))
	if told[0]["unmarking_event"] != "Transaction Recovery - Transaction Not Found" {
		t.Errorf("taken back: %v", told)
	}
}

// A token lives an hour of the platform's clock, a new one opens the page again, and our
// page's link always leads to a valid one.
func TestTokensExpire(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h")
	alice, browser := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	made := alice.Send("PUT", "/api/transaction", input()).Want(http.StatusOK)
	id := made.Text("id")
	first, _ := made.Member("tokens").([]any)[0].(map[string]any)["accessUrl"].(string)
	opens := func(address string) bool {
		t.Helper()
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(body), "Choose document")
	}
	if !opens(first) {
		t.Error("a new token opens nothing")
	}
	clock.Advance(time.Hour + time.Second)
	if opens(first) {
		t.Error("a token outlives its hour")
	}
	if fresh := alice.Send("POST", "/api/transaction/"+id+"/token", map[string]any{"role": "customer"}).Want(http.StatusOK).Text("accessUrl"); !opens(fresh) {
		t.Error("a new token opens nothing")
	}
	if on := browser.Page("/verifications/" + id + "/continue").Want(http.StatusSeeOther).Header.Get("Location"); !opens(on) {
		t.Errorf("the page leads to %s", on)
	}
}

func erasureWantsItsIDs(t *testing.T, app *e2etest.App) {
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	for pointer, body := range map[string]map[string]any{
		"/transaction_ids/1": erasing(unknownID, unknownID),
		"/transaction_ids/0": erasing("x"),
		"/transaction_ids":   erasing(),
		"/grace_period":      {"grace_period": 1.5, "transaction_ids": []string{unknownID}},
	} {
		r := carol.Send("POST", "/api/transactions/mark-for-erasure", body)
		r.Refused(http.StatusBadRequest, "request.invalid")
		if !strings.Contains(string(r.Body), `"pointer":"`+pointer+`"`) {
			t.Errorf("want %s: %s", pointer, r.Body)
		}
	}
}
