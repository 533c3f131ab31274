package accounts_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// alone returns a passkey whose response says neither that its person was present nor that they
// were verified, as a password manager makes it by itself.
func alone(app *e2etest.App) *authenticator.FIDO2 {
	return e2etest.NewPasskey(app).With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) {
		d.Flags &^= authenticator.FlagUserPresent | authenticator.FlagUserVerified
	}})
}

func requestAlone(c *e2etest.Client) e2etest.Reply {
	c.T.Helper()
	return c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "FIDO2"}, "Countersign-Conditional", "create").Want(http.StatusOK)
}

// offers reports whether a page may have a passkey made by itself.
func offers(c *e2etest.Client) bool {
	c.T.Helper()
	return strings.Contains(string(c.Page("/account").Want(http.StatusOK).Body), `id="made-alone"`)
}

// registrations returns the method of each registration in the audit trail, after its event's kind.
func registrations(t *testing.T, file string) (all []string) {
	t.Helper()
	for _, e := range e2etest.AuditTrail(t, file) {
		if strings.HasPrefix(string(e.Kind), "authenticator.re") {
			all = append(all, string(e.Kind)+" "+e.Method)
		}
	}
	return all
}

// A client says beforehand that nobody asked for a passkey. The platform judges if it takes one
// that nobody was present at, and the audit trail tells it apart.
func TestConditionalCreate_JudgedByPlatform(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trail")
	app, clock := e2etest.BootWithClock(t, "CONDITIONAL_CREATE=on", "AUDIT_LOG="+file, "RATE_CEREMONY=2/h", "SESSION_LIFETIME=24h")
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	if !offers(c) {
		t.Error("after a password no page has a passkey made")
	}
	first := requestAlone(c)
	if cookie := strings.Join(first.Header.Values("Set-Cookie"), " "); !strings.Contains(cookie, "Max-Age=2592000; HttpOnly; SameSite=Strict") || strings.Contains(cookie, "alice") {
		t.Errorf("a device keeps in mind for 30 days, and of nobody by name: %s", cookie)
	}
	c.FinishRegistration(c.Create(alone(app), first)).Refused(http.StatusConflict, "ceremony.refused")
	e2etest.Manage(t, app, "PUT", "/policy", map[string]any{"conditionalCreate": true})
	c.FinishRegistration(c.Create(alone(app), requestAlone(c))).Want(http.StatusOK)
	c.Register(e2etest.NewPasskey(app)) // its count is another one
	c.RequestRegistration().Want(http.StatusOK)
	c.RequestRegistration().Refused(http.StatusTooManyRequests, "request.rate")
	if got := strings.Join(registrations(t, file), ", "); got != "authenticator.refused conditional, authenticator.registered conditional, authenticator.registered " {
		t.Errorf("the audit trail has %s", got)
	}

	list := c.Authenticators() // the first of them was made by itself
	c.Send("DELETE", "/users/me/authenticators/"+list[0]["id"].(string), nil).Want(http.StatusNoContent)
	c.Send("DELETE", "/users/me/authenticators/"+list[1]["id"].(string), nil).Want(http.StatusNoContent)
	metrics := string(e2etest.Asked(t, app, "/metrics").Body)
	for outcome, count := range map[string]string{"begun": "2", "refused": "1", "made": "1", "removed": "1"} {
		if want := `countersign_conditional_passkeys_total{outcome="` + outcome + `"} ` + count; !strings.Contains(metrics, want+"\n") {
			t.Errorf("/metrics lacks %s", want)
		}
	}

	again := func(user string) bool {
		c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
		c.Password(user)
		return offers(c)
	}
	if again("alice@sandbox") {
		t.Error("a page has another one made at once")
	}
	if !again("bob@sandbox") {
		t.Error("what one person had made keeps another from it")
	}
	clock.Advance(11 * time.Minute)
	if offers(c) {
		t.Error("an old sign-in has one made")
	}
	program := e2etest.Program(t, app).SignedIn("carol@sandbox")
	if r := requestAlone(program); r.Header.Get("Set-Cookie") != "" {
		t.Errorf("an app gets a cookie: %s", r.Header.Get("Set-Cookie"))
	}
}

// Off, the header means nothing.
func TestConditionalCreate_Off(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trail")
	app := e2etest.Boot(t, "AUDIT_LOG="+file)
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	if offers(c) {
		t.Error("a page has a passkey made although that is off")
	}
	r := requestAlone(c)
	if strings.Contains(strings.Join(r.Header.Values("Set-Cookie"), " "), "conditional") {
		t.Errorf("cookies %q", r.Header.Values("Set-Cookie"))
	}
	c.FinishRegistration(c.Create(e2etest.NewPasskey(app), r)).Want(http.StatusOK)
	if got := registrations(t, file); len(got) != 1 || got[0] != "authenticator.registered " {
		t.Errorf("the audit trail has %q", got)
	}
}
