package verification_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// with returns a payload with one member changed.
func with(name string, value any) map[string]any {
	body := maps.Clone(input())
	body[name] = value
	return body
}

// A payload keeps the rules of the settings, and then the rules of the platform.
func TestPayload_Rules(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=off", "IDV_CLIENT_MEMBERS=disable_recording,expiry_period")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	has(t, alice.Send("PUT", "/api/transaction/", with("workflow_id", unknownID)).Refused(http.StatusBadRequest, "request.invalid"), `"pointer":"/workflow_id"`)
	alice.Send("PUT", "/api/transaction", with("language", strings.Repeat("a", 1<<20))).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	alice.Send("PUT", "/api/transaction", with("expiry_period", "long")).Refused(http.StatusBadRequest, "verification.invalid")
	redirects := []any{map[string]any{"id": "REDIRECT_ERROR", "url": app.URL() + "/x"}}
	alice.Send("PUT", "/api/transaction", with("configuration", map[string]any{"redirects": redirects})).Want(http.StatusOK)
	id := alice.Send("PUT", "/api/transaction", with("disable_recording", true)).Want(http.StatusOK).Text("id")
	if held := e2etest.Manage(t, app, "GET", "/transactions/"+id, nil); held.Member("disable_recording") != true {
		t.Errorf("the platform has %s", held.Body)
	}
}
