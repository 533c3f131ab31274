package verification_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A key makes one transaction; after a lost answer nobody can tell, and says so.
func TestOnce(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	alice.Header.Set("Idempotency-Key", "first")
	made := alice.Send("PUT", "/api/transaction", input()).Want(http.StatusOK).Text("id")
	again := alice.Send("PUT", "/api/transaction", input()).Want(http.StatusOK)
	if again.Text("id") != made || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same request made %s and %s", made, again.Body)
	}
	alice.Send("PUT", "/api/transaction", with("language", "de")).Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")

	alice.Header.Set("Idempotency-Key", "lost")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "createTransaction", "status": 500})
	alice.Send("PUT", "/api/transaction", input()).Refused(http.StatusBadGateway, "platform.failed")
	alice.Send("PUT", "/api/transaction", input()).Refused(http.StatusConflict, "request.idempotency-lost")
}
