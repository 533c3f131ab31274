package accounts_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// Accepted passkeys come from the authentication request of the sign-in, else from one that is
// asked for once per sign-in and when the list has changed; never from a registration request,
// and no limit counts it.
func TestAcceptedPasskeys_FromAuthenticationRequest(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "RATE_CEREMONY=6/h")
	accepted := func(c *e2etest.Client, asked, ids int) e2etest.Reply {
		t.Helper()
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		r := c.Send("GET", "/users/me/accepted-passkeys", nil).Want(http.StatusOK)
		journal := e2etest.Journal(t, app)
		requests := 0
		for _, operation := range journal {
			if operation == "generateFidoAuthenticationRequest" {
				requests++
			}
		}
		if list, _ := r.Member("allAcceptedCredentialIds").([]any); requests != asked || len(list) != ids || r.Member("allAcceptedCredentialIds") == nil ||
			slices.Contains(journal, "generateFidoRegistrationRequest") {
			t.Errorf("asked for %v, want %d requests; accepted are %v, want %d", journal, asked, r.Member("allAcceptedCredentialIds"), ids)
		}
		return r
	}
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	if r := accepted(c, 1, 0); r.Member("userId") != nil || r.Member("name") != nil || r.Member("displayName") != nil || r.Text("rpId") != "" {
		t.Errorf("before any passkey: %s", r.Body)
	}
	accepted(c, 0, 0)
	one, other := e2etest.NewPasskey(app), e2etest.NewPasskey(app)
	c.Register(one)
	if r := accepted(c, 1, 1); r.Text("userId") == "" || r.Text("name") != "alice@sandbox" || r.Text("displayName") == "" || r.Text("rpId") != "localhost" {
		t.Errorf("with a passkey: %s", r.Body)
	}
	for range 20 {
		accepted(c, 0, 1)
	}

	phone := e2etest.Program(t, app)
	phone.Carry(phone.Passkey("alice@sandbox", one).Want(http.StatusOK))
	accepted(phone, 0, 1) // the request of its sign-in
	clock.Advance(2 * time.Second)
	phone.Register(other)
	accepted(phone, 1, 2)
	accepted(c, 0, 2)
	clock.Advance(2 * time.Second)
	c.Password("alice@sandbox")
	accepted(c, 1, 2)

	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "generateFidoAuthenticationRequest", "body": map[string]any{
		"authenticationRequest": `{"challenge":"AAAA","rpId":"localhost","allowCredentials":[]}`, "requestID": "r",
	}})
	clock.Advance(2 * time.Second)
	c.Password("alice@sandbox")
	if r := c.Send("GET", "/users/me/accepted-passkeys", nil).Want(http.StatusOK); r.Member("allAcceptedCredentialIds") != nil {
		t.Errorf("a platform that contradicts its own list: %s", r.Body)
	}
}
