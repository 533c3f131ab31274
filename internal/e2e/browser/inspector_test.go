package browser_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// The sandbox's inspector fits every window, in light and dark, and shows a name as it is
// written.
func TestInspector_FitsEveryWindow(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	alice.Send("POST", "/api/packages", map[string]any{
		"name": "Lease <of> the mill", "status": "SENT",
		"roles": []any{map[string]any{"id": "bob", "signers": []any{map[string]any{"email": "bob@sandbox.example", "firstName": "Bob", "lastName": "<b>Signer"}}}},
	}).Want(http.StatusOK)
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "getPackage", "times": 1, "status": 503})
	b := visit(t, app)
	for _, l := range looks {
		b.wear(l)
		b.do(chromedp.Navigate(app.SandboxURL() + "/_manage/"))
		b.there("heading", "Outbox")
		evaluate[int](b, `[...document.querySelectorAll("details")].map((one) => { one.open = true }).length`)
		for _, finding := range slices.Concat(evaluate[[]string](b, layout), b.axe()) {
			t.Errorf("%s: %s", l.name, finding)
		}
		b.photograph("inspector " + l.name)
	}
	b.click("button", "+ 1 hour")
	b.there("heading", "Sandbox")
	b.reads("Please sign: Lease <of> the mill")
	b.reads("SENT: 1")
}

// The page takes over what happens, and leaves alone what somebody has opened.
func TestInspector_UpdatesLive(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.do(chromedp.Navigate(app.SandboxURL() + "/_manage/"))
	b.there("heading", "Journal")
	e2etest.Program(t, app).SignedIn("alice@sandbox")
	b.click("DisclosureTriangle", "POST /users/alice@sandbox/login")
	b.reads(`"passKey": "•••"`)
	e2etest.Program(t, app).SignedIn("bob@sandbox")
	b.there("DisclosureTriangle", "POST /users/bob@sandbox/login")
	b.reads(`"passKey": "•••"`)
}

// Everything but the live page works without scripts.
func TestInspector_WithoutJavaScript(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.withoutScripts()
	b.do(chromedp.Navigate(app.SandboxURL() + "/_manage/"))
	tell[string](b, "combobox", "Operation", `function() { return this.value = "getUser" }`)
	b.click("button", "Add the fault")
	b.reads("getUser: status 503, 1 ×")
	b.click("button", "Forget the faults")
	b.reads("No fault waits.")
	e2etest.Program(t, app).SignedIn("alice@sandbox")
	b.click("button", "+ 1 hour")
	b.click("DisclosureTriangle", "POST /users/alice@sandbox/login")
	b.reads(`"passKey": "•••"`)
	b.click("button", "Reset")
	b.silent("POST /users/alice@sandbox/login")
}
