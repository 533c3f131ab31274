package signing_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// TestSigning_OtherSettings: only operators create, addresses are not trusted, few
// look-ups, a short time-out.
func TestSigning_OtherSettings(t *testing.T) {
	app := e2etest.Boot(t, "SIGNING_CREATORS=operators", "TRUST_PLATFORM_EMAIL=false",
		"RATE_LOOKUP=2/h", "UPSTREAM_TIMEOUT=5s")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	alice.Send("POST", packages, draft("Mine", frankMail)).Refused(http.StatusForbidden, "signing.operators-only")
	id := create(carol, draft("Theirs", bobMail))
	carol.Send("PUT", packages+"/"+id, object{"status": "SENT"}).Want(http.StatusOK)
	carol.Send("POST", packages+"/"+id+"/clone", object{"name": "Copy"}).Want(http.StatusOK)
	// Bob has to sign it, but his address is not trusted.
	bob.Send("GET", packages+"/"+id, nil).Refused(http.StatusNotFound, notFound)
	if got := bob.Send("GET", packages, nil).Want(http.StatusOK).Member("count"); got != 0.0 {
		t.Errorf("a list of %v packages", got)
	}
	bob.Send("GET", packages+"/unknown-1", nil).Refused(http.StatusNotFound, notFound)
	limited := bob.Send("GET", packages+"/unknown-2", nil).Refused(http.StatusTooManyRequests, "request.rate")
	if limited.Header.Get("Retry-After") == "" {
		t.Error("nobody says when to ask again")
	}
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getPackage", "delay": "30s", "times": 0})
	carol.Send("GET", packages+"/"+id, nil).Refused(http.StatusServiceUnavailable, "platform.unavailable")
}
