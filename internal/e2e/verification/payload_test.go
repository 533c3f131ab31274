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

// Payloads keep the rules of the settings and of the platform.
func TestPayload_Rules(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=off", "IDV_CLIENT_MEMBERS=configuration.consent,disable_recording,expiry_period")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	redirect := func(address string) map[string]any {
		return with("configuration", map[string]any{"consent": 1, "redirects": []any{map[string]any{"id": "REDIRECT_ERROR", "url": address}}})
	}
	for pointer, body := range map[string]map[string]any{
		"/workflow_id": with("workflow_id", unknownID), "/brand_id": with("brand_id", unknownID), "/status": with("status", "new"),
		"/configuration/redirects/0/url": redirect("https://elsewhere.example/"), "/users": with("users", nil),
	} {
		has(t, alice.Send("PUT", "/api/transaction/", body).Refused(http.StatusBadRequest, "request.invalid"), `"pointer":"`+pointer+`"`)
	}
	alice.Send("PUT", "/api/transaction", with("language", strings.Repeat("a", 1<<20))).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	alice.Send("PUT", "/api/transaction", redirect(app.URL()+"/x?o={{opaqueId}}")).Want(http.StatusOK)
	alice.Send("PUT", "/api/transaction", with("expiry_period", "long")).Refused(http.StatusBadRequest, "verification.invalid")
	id := alice.Send("PUT", "/api/transaction", with("disable_recording", true)).Want(http.StatusOK).Text("id")
	if held := e2etest.Manage(t, app, "GET", "/transactions/"+id, nil); held.Member("disable_recording") != true {
		t.Errorf("the platform has %s", held.Body)
	}
}
