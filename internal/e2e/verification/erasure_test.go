package verification_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func erasing(ids ...string) map[string]any {
	return map[string]any{"grace_period": 25, "transaction_ids": ids}
}

// What is taken back stays, when its day comes, and its starter hears of the erasure.
func TestErasure_MarkAndUnmark(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "RATE_LOOKUP=off", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h", "STEP_UP_AGE=2400h")
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), operator(t, app)
	kept := started(alice)
	alice.Send("POST", "/api/transactions/mark-for-erasure", erasing(kept)).Refused(http.StatusForbidden, operatorsOnly)
	marks(25)(carol, strings.ToUpper(kept)).Want(http.StatusOK)
	hers := e2etest.Browser(t, app).SignedIn("alice@sandbox").Page("/verifications/" + kept).Want(http.StatusOK)
	has(t, hers, "Will be erased on")
	lacks(t, hers, ">Cancel the erasure<")
	unmarks(carol, kept).Want(http.StatusOK)
	clock.Advance(25*24*time.Hour + time.Minute)
	alice.Send("GET", "/api/transaction/"+kept, nil).Want(http.StatusOK)
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
