package browser_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A failure of the platform is shown on the page, with a remedy.
func TestPlatformFailure_CanBeRetried(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app).plugIn().script(noSuggestions)
	b.expect(http.StatusServiceUnavailable)
	b.expect(http.StatusConflict)
	b.signIn("alice@sandbox", "/authenticators")
	fail := func(operation string, status int) {
		e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "status": status})
	}
	fail("registerFidoDevice", http.StatusServiceUnavailable)
	b.click("button", b.adding())
	b.says("alert", "It is our fault, not yours. If you were signed in, you still are.")
	b.says("alert", "Request ID:")
	b.missing("link", "Sign in again")
	b.click("button", "Try again")
	b.there("heading", "Your passkey is ready")

	b.signOut()
	b.open("/login")
	b.name("alice@sandbox")
	fail("generateFidoAuthenticationRequest", http.StatusServiceUnavailable)
	b.click("button", "Sign in with a passkey")
	b.says("alert", "It is our fault, not yours.")
	fail("login", http.StatusConflict)
	b.click("button", "Try again")
	b.says("alert", "These details do not let you sign in.")
	b.click("button", "Try again")
	b.reads("Welcome, Alice")
}
