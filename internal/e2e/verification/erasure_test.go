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

func TestErasure(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "RATE_LOOKUP=off", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h", "STEP_UP_AGE=2400h")
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	erased, kept, atOnce := started(alice), started(alice), started(alice)
	alice.Send("POST", "/api/transactions/mark-for-erasure", erasing(erased)).Refused(http.StatusForbidden, operatorsOnly)
	r := carol.Send("POST", "/api/transactions/mark-for-erasure", erasing(kept, unknownID, strings.ToUpper(erased))).Want(http.StatusOK)
	events := string(r.Body)
	if first, second := strings.Index(events, "Transaction Erase Request - Accepted"), strings.Index(events, "Transaction Erase Request - ID field error"); first < 0 || second < first {
		t.Errorf("marked: %s", events)
	}
	if list := string(alice.Send("GET", "/api/transactions", nil).Want(http.StatusOK).Body); !strings.Contains(list, `"erasureAt":"`) {
		t.Errorf("listed as %s", list)
	}
	carol.Send("POST", "/api/transaction/unmark-for-erasure", map[string]any{"transaction_ids": []string{kept}}).Want(http.StatusOK)
	carol.Send("POST", "/api/transaction/mark-for-erasure", map[string]any{"grace_period": 0, "transaction_ids": []string{atOnce}}).Want(http.StatusOK)
	alice.Send("GET", "/api/transaction/"+atOnce, nil).Refused(http.StatusNotFound, notFound)
	alice.Send("GET", "/api/transaction/"+erased, nil).Want(http.StatusOK)
	clock.Advance(25*24*time.Hour + time.Minute)
	alice.Send("GET", "/api/transaction/"+erased, nil).Refused(http.StatusNotFound, notFound)
	carol.Send("GET", "/api/transaction/"+erased, nil).Refused(http.StatusNotFound, notFound)
	alice.Send("GET", "/api/transaction/"+kept, nil).Want(http.StatusOK)
	if list := string(alice.Send("GET", "/api/transactions", nil).Want(http.StatusOK).Body); !strings.Contains(list, `"count":1`) {
		t.Errorf("listed as %s", list)
	}
}

func TestErasureWantsItsIDs(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
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
