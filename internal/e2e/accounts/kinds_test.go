package accounts_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// apple and google are models with names, and denied is one that the test's settings refuse.
var (
	apple  = [16]byte{0xfb, 0xfc, 0x30, 0x07, 0x15, 0x4e, 0x4e, 0xcc, 0x8c, 0x0b, 0x6e, 0x02, 0x05, 0x57, 0xd7, 0xbd}
	denied = [16]byte{0xd5, 0x48, 0x82, 0x6e, 0x79, 0xb4, 0xdb, 0x40, 0xa3, 0xd8, 0x11, 0x11, 0x6f, 0x7e, 0x83, 0x49}
)

// Lists, pages and the audit trail say what is known of each passkey, and a denied model never
// reaches the platform.
func TestPasskeyKind_ShownAndDenied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trail")
	app := e2etest.Boot(t, "AUDIT_LOG="+file, "PASSKEY_DENY=D548826E-79B4-DB40-A3D8-11116F7E8349")
	key := func(model [16]byte, synced bool) *authenticator.FIDO2 {
		return authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), AAGUID: model, UserVerifying: true, Discoverable: true, Platform: true, Synced: synced})
	}
	c, page := e2etest.Browser(t, app), func(c *e2etest.Client, path string) string { return string(c.Page(path).Want(http.StatusOK).Body) }
	c.Password("alice@sandbox")

	c.Register(key(apple, true))
	c.Register(key([16]byte{1}, false))
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "listFidoRegistrations", "status": 500, "times": 1})
	c.Register(key([16]byte{2}, false)) // the list before it is not known
	wantKinds(t, "one's own list", c.Send("GET", "/users/me/authenticators", nil), "authenticators", "synced", "device-bound", nil)
	operator := e2etest.Program(t, app).SignedIn("carol@sandbox")
	wantKinds(t, "an operator's", operator.Send("GET", "/people/alice@sandbox", nil), "authenticators", "synced", "device-bound", nil)
	if text := page(c, "/authenticators"); strings.Count(text, "Synced") != 1 || strings.Count(text, "On this device only") != 1 || !strings.Contains(text, `aria-hidden="true" translate="no">AP</span>`) {
		t.Errorf("the page of authenticators does not say what kind each is: %s", text)
	}

	response := c.Create(key(denied, true), c.RequestRegistration().Want(http.StatusOK))
	e2etest.Untouched(t, app, func() {
		c.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.model").Action("other-authenticator")
		c.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.spent")
	}, "registerFidoDevice")

	var got []audit.Authenticator
	for _, e := range e2etest.AuditTrail(t, file) {
		if e.Kind == audit.AuthenticatorRegistered || e.Reason == "ceremony.model" {
			got = append(got, e.Authenticator)
		}
	}
	want := []audit.Authenticator{
		{KeyKind: "synced", AAGUID: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd", Provider: "Apple Passwords"},
		{KeyKind: "device-bound", AAGUID: "01000000-0000-0000-0000-000000000000"},
		{KeyKind: "device-bound", AAGUID: "02000000-0000-0000-0000-000000000000"},
		{KeyKind: "synced", AAGUID: "d548826e-79b4-db40-a3d8-11116f7e8349", Provider: "Bitwarden"},
	}
	if len(got) != len(want) {
		t.Fatalf("events %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %+v, want %+v", got[i], want[i])
		}
	}
	e2etest.Eventually(t, "the events of a person say what was registered", func() bool { // they are kept a moment later
		return strings.Contains(string(operator.Send("GET", "/people/alice@sandbox", nil).Want(http.StatusOK).Body), `"kind":"synced","aaguid":"fbfc3007`)
	})
}

func wantKinds(t *testing.T, what string, r e2etest.Reply, member string, want ...any) {
	t.Helper()
	list, _ := r.Want(http.StatusOK).Member(member).([]any)
	if len(list) != len(want) {
		t.Fatalf("%s: %s", what, r.Body)
	}
	for i, one := range list {
		a, _ := one.(map[string]any)
		if kind, ok := a["kind"]; !ok || kind != want[i] {
			t.Errorf("%s: number %d is %v, want %v", what, i, a["kind"], want[i])
		}
	}
}
