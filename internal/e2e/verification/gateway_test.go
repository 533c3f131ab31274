package verification_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// TestAGatewayEmptiesNoList has a gateway without a route, and then another service, answer
// in the platform's place for minutes, while people read, callbacks come and the sweep runs:
// all that they started stays on their lists.
func TestAGatewayEmptiesNoList(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "IDV_CALLBACK_KEY=key", "IDV_SWEEP=1s", "RATE_LOOKUP=off", "RATE_VERIFICATION=off")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	platform := e2etest.Program(t, app)
	people := map[*e2etest.Client][]string{alice: {started(alice), started(alice)}, bob: {started(bob), started(bob)}}
	listed := func(when string) {
		t.Helper()
		for c, ids := range people {
			if n, _ := c.Send("GET", "/api/transactions", nil).Want(http.StatusOK).Member("count").(float64); int(n) != len(ids) {
				t.Errorf("%s, a list of %d has %v", when, len(ids), n)
			}
		}
	}
	read := func(status int, key string) {
		t.Helper()
		for c, ids := range people {
			for _, id := range ids {
				platform.Send("POST", "/callbacks/verification?key=key", fmt.Sprintf(`{"transaction_id":%q}`, id)).Want(http.StatusNoContent)
				for _, path := range []string{"", "/verification", "/evidence"} {
					if r := c.Send("GET", "/api/transaction/"+id+path, nil); status != http.StatusOK {
						r.Refused(status, key)
					} else if path == "" {
						r.Want(status)
					}
				}
			}
		}
	}
	for _, other := range []struct {
		answer e2etest.Fault
		status int
		key    string
	}{
		{e2etest.Fault{"status": 404, "body": "<html>no route</html>", "headers": e2etest.Fault{"Content-Type": "text/html"}}, http.StatusBadGateway, "platform.failed"},
		{e2etest.Fault{"status": 404, "body": e2etest.Fault{"message": "no such tenant"}}, http.StatusNotFound, notFound},
	} {
		for _, operation := range []string{"getTransaction", "getTransactionVerification", "getEvidence"} {
			fault := e2etest.Fault{"operation": operation, "times": 0}
			maps.Copy(fault, other.answer)
			e2etest.Manage(t, app, "POST", "/faults", fault)
		}
		for range 4 {
			clock.Advance(2 * time.Minute)
			read(other.status, other.key)
			listed(other.key)
		}
		e2etest.Manage(t, app, "DELETE", "/faults", nil)
		read(http.StatusOK, "")
		listed("once it is over")
	}
}
