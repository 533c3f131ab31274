package failures_test

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
func TestCeremony_FailureAfterSpend(t *testing.T) {
	app := e2etest.Boot(t, "UPSTREAM_TIMEOUT="+upstreamTimeout.String())
	for name, failure := range map[string]e2etest.Fault{
		"failed":  {"status": 500, "body": map[string]any{"message": "Internal error"}},
		"stalled": {"delay": "30s"},
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
func TestCeremony_OpenCircuitSpendsNothing(t *testing.T) {
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
