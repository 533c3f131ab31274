package browser_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The example of a single-page application signs in, adds a passkey and signs in with it, at
// any of its addresses.
func TestSPA_SignsInWithPasskey(t *testing.T) {
	folder, err := filepath.Abs("../../../examples/spa")
	if err != nil {
		t.Fatal(err)
	}
	app := e2etest.Boot(t, "SPA_DIR="+folder)
	b := visit(t, app).plugIn()
	b.expect(http.StatusUnauthorized)
	b.expect(http.StatusConflict)
	b.open("/app")
	b.there("button", "Sign in")
	b.fill("User name", "alice@sandbox")
	b.fill("Password", "wrong")
	b.click("button", "Sign in")
	b.says("status", "These details do not let you sign in.")
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in")
	b.reads("Signed in as Alice Archer")
	b.click("button", "Add a passkey")
	b.says("status", "The passkey is added.")
	b.click("button", "Sign out")
	b.says("status", "You are signed out.")
	b.open("/app/orders/alice@sandbox.example")
	b.fill("User name", "alice@sandbox")
	b.click("button", "Sign in with a passkey")
	b.reads("Signed in as Alice Archer")

	plain := e2etest.Plain(t)
	for path, want := range map[string]int{"/app/none.js": http.StatusNotFound, "/app/../session": http.StatusNotFound, "/app/app.js": http.StatusOK} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := plain.Do(request); r.Status != want || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, r.Status, r.Header)
		}
	}
}
