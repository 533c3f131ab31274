package verification_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// unknownID is the id of no transaction.
const unknownID = "00000000-0000-4000-8000-000000000000"

// input is a payload that is right.
func input() map[string]any {
	return map[string]any{"language": "en", "users": []any{map[string]any{"first_name": "Anna", "last_name": "Muster"}}}
}

// started is a transaction of c's.
func started(c *e2etest.Client) string {
	c.T.Helper()
	return c.Send("PUT", "/api/transaction/", input()).Want(http.StatusOK).Text("id")
}

func TestStartAndRead(t *testing.T) {
	app := e2etest.Boot(t)
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	body := input()
	body["opaque_id"], body["tenant_id"] = "mine", "elsewhere"
	made := alice.Send("PUT", "/api/transaction/", body).Want(http.StatusOK)
	if made.Text("opaque_id") != "mine" || strings.Contains(string(made.Body), "tenant") {
		t.Errorf("made %s", made.Body)
	}
	id := made.Text("id")
	if got := alice.Send("GET", "/api/transactions/"+strings.ToUpper(id), nil).Want(http.StatusOK).Text("id"); got != id {
		t.Errorf("read %s", got)
	}
	bob.Send("GET", "/api/transaction/"+id, nil).Refused(http.StatusNotFound, "request.not-found")
	bob.Send("GET", "/api/transaction/"+unknownID, nil).Refused(http.StatusNotFound, "request.not-found")
	e2etest.Program(t, app).Send("GET", "/api/transaction/"+id, nil).Refused(http.StatusUnauthorized, "session.required")
}
