package signin_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func signingInRotatesTheToken(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	c.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	before := c.Send("GET", "/account/sessions", nil)
	old := *c
	c.Password("alice@sandbox")
	old.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	after := c.Send("GET", "/account/sessions", nil)
	if a, b := oneSession(t, before), oneSession(t, after); a["id"] != b["id"] || a["createdAt"] != b["createdAt"] {
		t.Errorf("signing in again made another session: %v, %v", a, b)
	}
	aliceToo := *c
	c.Password("bob@sandbox")
	aliceToo.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
}

// oneSession returns the session of an answer that lists one.
func oneSession(t *testing.T, r e2etest.Reply) map[string]any {
	t.Helper()
	list, _ := r.Want(http.StatusOK).Member("sessions").([]any)
	if len(list) != 1 {
		t.Fatalf("sessions %v", list)
	}
	return list[0].(map[string]any)
}

func signingInCarriesACeremony(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
	c.Password("alice@sandbox")
	c.FinishRegistration(response).Want(http.StatusOK)
}

func sessionsAreListedAndEnded(t *testing.T, app *e2etest.App) {
	one, two, three := e2etest.Browser(t, app).SignedIn("carol@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	listed := list(one, "/account/sessions", "sessions")
	for _, s := range listed {
		if s["userAgent"] == "" || s["address"] != "127.0.0.1" || fmt.Sprint(s["methods"]) != "[password]" {
			t.Errorf("listed %+v", s)
		}
	}
	others := slices.DeleteFunc(one.Sessions(), func(s e2etest.Session) bool { return s.Current })
	if len(listed) != 3 || len(others) != 2 {
		t.Fatalf("%d sessions, %d others", len(listed), len(others))
	}
	path := "/account/sessions/" + others[0].ID
	e2etest.Browser(t, app).SignedIn("bob@sandbox").Send("DELETE", path, nil).Refused(http.StatusNotFound, "session.unknown")
	one.Send("DELETE", path, nil).Want(http.StatusNoContent)
	one.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	two.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	three.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	one.Send("GET", "/session", nil).Want(http.StatusOK)
}

func TestStepUp_SignInTooOld(t *testing.T) {
	const age = 30 * time.Second
	app, clock := e2etest.BootWithClock(t, "STEP_UP_AGE="+age.String())
	key := e2etest.NewPasskey(app)
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	request := c.RequestRegistration().Want(http.StatusOK)
	clock.Advance(age)
	r := c.RequestRegistration().Refused(http.StatusForbidden, "session.step-up")
	if r.Text("action") != "sign-in" {
		t.Errorf("action %q", r.Text("action"))
	}
	c.FinishRegistration(c.Create(key, request)).Want(http.StatusOK)
	id := c.Authenticators()[0]["id"].(string)
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Refused(http.StatusForbidden, "session.step-up")
	c.Send("PATCH", "/users/me/authenticators/"+id, `{"name":"Blue key"}`).Want(http.StatusNoContent)
	c.Passkey("alice@sandbox", key)
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Want(http.StatusNoContent)
}
