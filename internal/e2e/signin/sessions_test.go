package signin_test

import (
	"encoding/json"
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
	one, two, three := e2etest.Browser(t, app), e2etest.Browser(t, app), e2etest.Program(t, app)
	for _, c := range []*e2etest.Client{one, two, three} {
		c.Password("alice@sandbox")
		if c == one {
			c.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
		}
	}
	var body struct {
		Sessions []struct {
			ID        string
			Current   bool
			UserAgent string
			Address   string
			Methods   []string
		}
	}
	if err := json.Unmarshal(one.Send("GET", "/account/sessions", nil).Want(http.StatusOK).Body, &body); err != nil {
		t.Fatal(err)
	}
	current := 0
	for _, s := range body.Sessions {
		if s.Current {
			current++
		}
		if s.ID == "" || s.UserAgent == "" || s.Address != "127.0.0.1" || !slices.Equal(s.Methods, []string{"password"}) {
			t.Errorf("listed %+v", s)
		}
	}
	if len(body.Sessions) != 3 || current != 1 {
		t.Fatalf("%d sessions, %d current", len(body.Sessions), current)
	}
	bob := e2etest.Browser(t, app)
	bob.Password("bob@sandbox")
	bob.Send("DELETE", "/account/sessions/"+body.Sessions[0].ID, nil).Refused(http.StatusNotFound, "session.unknown")
	for _, s := range body.Sessions {
		if !s.Current {
			one.Send("DELETE", "/account/sessions/"+s.ID, nil).Want(http.StatusNoContent)
			break
		}
	}
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
