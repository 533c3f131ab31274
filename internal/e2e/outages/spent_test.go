package outages_test

import (
	"maps"
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// retry returns an error's statements about another try.
func retry(r e2etest.Reply) (retryable bool, action, after string) {
	if r.Header.Get("Content-Type") != "application/problem+json" {
		return false, "", r.Header.Get("Retry-After")
	}
	retryable, _ = r.Member("retryable").(bool)
	return retryable, r.Text("action"), r.Header.Get("Retry-After")
}

// A spent ceremony cannot be finished by the same request, whatever failed.
func TestAFailureAfterTheSpendIsBegunAnew(t *testing.T) {
	app := e2etest.Boot(t, "UPSTREAM_TIMEOUT="+upstreamTimeout.String())
	for name, failure := range map[string]e2etest.Fault{
		"failed":      {"status": 500, "body": map[string]any{"message": "Internal error"}},
		"unavailable": {"status": 503},
		"limited":     {"status": 429, "headers": map[string]string{"Retry-After": "7"}},
		"stalled":     {"delay": "30s"},
	} {
		t.Run(name, func(t *testing.T) {
			e2etest.Manage(t, app, "POST", "/reset", nil)
			c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
			response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
			broken := e2etest.Fault{"operation": "registerFidoDevice", "times": 0}
			maps.Copy(broken, failure)
			e2etest.Manage(t, app, "POST", "/faults", broken)
			r := c.FinishRegistration(response)
			if retryable, action, after := retry(r); r.Status < 500 || retryable || action != "restart" || after != "" {
				t.Errorf("%d: retryable %v, action %q, Retry-After %q: %s", r.Status, retryable, action, after, r.Body)
			}
			c.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.spent")
		})
	}
}

// While the circuit is open nothing is spent, and the same request succeeds later.
func TestAnOpenCircuitSpendsNothing(t *testing.T) {
	app, platform := e2etest.BootApart(t)
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	for range 5 {
		response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
		platform.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		e2etest.Eventually(t, "the circuit opens", func() bool {
			platform.Failed()
			c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusServiceUnavailable)
			return platform.Failed() == 0
		})
		r := c.FinishRegistration(response)
		platform.Mend()
		if r.Status == http.StatusOK || platform.Failed() > 0 {
			continue // it came so late that a trial was due
		}
		if retryable, action, after := retry(r); r.Status != http.StatusServiceUnavailable || !retryable || action != "retry" || after == "" {
			t.Errorf("%d: retryable %v, action %q, Retry-After %q", r.Status, retryable, action, after)
		}
		e2etest.Eventually(t, "the circuit closes", func() bool { return c.FinishRegistration(response).Status == http.StatusOK })
		return
	}
	t.Error("the circuit was never open")
}

// emailOf returns the e-mail address of the signed-in person.
func emailOf(c *e2etest.Client) any {
	c.T.Helper()
	user, _ := c.Send("GET", "/session", nil).Want(http.StatusOK).Member("user").(map[string]any)
	return user["email"]
}

// A profile that could not be read at the sign-in is read at its first use, and not
// again.
func TestALateProfile(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getUser", "times": 0, "status": 500})
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	if email := emailOf(c); email != nil {
		t.Errorf("e-mail %v while the platform fails", email)
	}
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	if email := emailOf(c); email != "alice@sandbox.example" {
		t.Errorf("e-mail %v", email)
	}
	e2etest.Untouched(t, app, func() { emailOf(c) }, "getUser")
}
