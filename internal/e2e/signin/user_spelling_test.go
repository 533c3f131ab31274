package signin_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func TestPeople(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), onePersonHasOneSpelling, anOperatorIsOneInEverySpelling, aPlusInAPathIsAPlus, noBrowserIsHandedAToken,
		aDeadTokenIsAPrograms, theLastAuthenticatorStays,
	)
}

// spellings of alice@sandbox that the platform takes for one person.
var spellings = []string{"alice@sandbox", "ALICE@sandbox", "Alice@SANDBOX", "alice@Sandbox", "aLiCe%40sandbox"}

// user returns c's signed-in user.
func user(c *e2etest.Client) map[string]any {
	c.T.Helper()
	user, _ := c.Send("GET", "/session", nil).Want(http.StatusOK).Member("user").(map[string]any)
	return user
}

// list returns the member called name of the answer at path.
func list(c *e2etest.Client, path, name string) []map[string]any {
	c.T.Helper()
	all, _ := c.Send("GET", path, nil).Want(http.StatusOK).Member(name).([]any)
	out := make([]map[string]any, len(all))
	for i, one := range all {
		out[i], _ = one.(map[string]any)
	}
	return out
}

func onePersonHasOneSpelling(t *testing.T, app *e2etest.App) {
	for _, spelling := range spellings {
		c := e2etest.Program(t, app)
		r := c.Send("POST", "/users/"+spelling+"/login", e2etest.RightPassword).Want(http.StatusOK)
		c.Carry(r)
		if id := user(c)["id"]; id != "alice@sandbox" {
			t.Errorf("%s is signed in as %v", spelling, id)
		}
		for _, own := range spellings {
			c.Send("GET", "/users/"+own+"/authenticators", nil).Want(http.StatusOK)
		}
		c.Send("GET", "/users/bob@sandbox/authenticators", nil).Want(http.StatusForbidden)
	}
	c := e2etest.Program(t, app)
	c.Carry(c.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Want(http.StatusOK))
	if n := len(list(c, "/account/sessions", "sessions")); n != len(spellings)+1 {
		t.Errorf("%d sessions are listed, want %d", n, len(spellings)+1)
	}
	c.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	if n := len(list(c, "/account/sessions", "sessions")); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

// An operator is recognized in every spelling.
func anOperatorIsOneInEverySpelling(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	c.Carry(c.Send("POST", "/users/CAROL@Sandbox/login", e2etest.RightPassword).Want(http.StatusOK))
	if operator := user(c)["operator"]; operator != true {
		t.Errorf("operator: %v", operator)
	}
}

// An escaped plus is a plus, and not a space.
func aPlusInAPathIsAPlus(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "PUT", "/users/alice+work@sandbox", map[string]any{"passKey": "Sandbox-1!"})
	for _, spelling := range []string{"alice+work@sandbox", "alice%2Bwork@sandbox", "alice%2bwork%40sandbox", "alice+work%40sandbox"} {
		c := e2etest.Program(t, app)
		c.Carry(c.Send("POST", "/users/"+spelling+"/login", e2etest.RightPassword).Want(http.StatusOK))
		if id := user(c)["id"]; id != "alice+work@sandbox" {
			t.Errorf("%s is signed in as %v", spelling, id)
		}
	}
}

// A name without its domain counts against the same limit as the whole id, in every
// spelling.
func TestRateLimit_SameForEverySpelling(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN=10/h")
	bodies := []string{
		`{"userID":"erin","staticPassword":"x"}`, `{"userID":"ERIN","staticPassword":"x"}`,
		`{"userID":"erin@sandbox","staticPassword":"x"}`, `{"userID":"Erin","domain":"SANDBOX","staticPassword":"x"}`,
		`{"userID":"erin@SANDBOX","domain":"sandbox","staticPassword":"x"}`,
	}
	refused := 0
	for i := range 15 {
		if e2etest.Program(t, app).Send("POST", "/users/register", bodies[i%len(bodies)]).Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d of 15 tries were refused for their number, want 5", refused)
	}
}

func noBrowserIsHandedAToken(t *testing.T, app *e2etest.App) {
	for name, header := range map[string][2]string{
		"Origin": {"Origin", app.URL()}, "Sec-Fetch-Site": {"Sec-Fetch-Site", "same-origin"},
	} {
		for _, call := range [][2]string{
			{"/users/alice@sandbox/login", e2etest.RightPassword},
			{"/users/alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`},
			{"/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`},
		} {
			c := e2etest.Program(t, app)
			c.Header.Set(header[0], header[1])
			c.Header.Set("Countersign-Session", "bearer")
			r := c.Elsewhere().Send("POST", call[0], call[1])
			if r.Status >= 300 || strings.Contains(string(r.Body), "sessionToken") || r.Header.Get("Set-Cookie") == "" {
				t.Errorf("%s, %s: %d, cookie %q, %s", name, call[0], r.Status, r.Header.Get("Set-Cookie"), r.Body)
			}
		}
	}
}

// An app with an expired token signs in again with it in its header, and gets a new
// token.
func aDeadTokenIsAPrograms(t *testing.T, app *e2etest.App) {
	for _, dead := range []string{"Bearer " + strings.Repeat("A", 43), "bearer x", "Bearer "} {
		c := e2etest.Program(t, app)
		c.Header.Del("Countersign-Session")
		c.Header.Set("Authorization", dead)
		for _, call := range [][2]string{
			{"/users/alice@sandbox/login", e2etest.RightPassword},
			{"/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"UAF11"}`},
		} {
			r := c.Send("POST", call[0], call[1]).Want(http.StatusOK)
			if r.Text("sessionToken") == "" || r.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s, %s: cookie %q, %s", dead, call[0], r.Header.Get("Set-Cookie"), r.Body)
			}
		}
		for _, call := range []string{"GET /session", "DELETE /session", "GET /account/sessions", "GET /users/me/authenticators", "GET /account"} {
			method, path, _ := strings.Cut(call, " ")
			c.Send(method, path, nil).Want(http.StatusUnauthorized)
		}
		c.Header.Set("Origin", app.URL())
		c.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Want(http.StatusUnauthorized)
	}
}

// Two concurrent requests do not remove both of a person's last authenticators.
func theLastAuthenticatorStays(t *testing.T, app *e2etest.App) {
	for range 5 {
		e2etest.Manage(t, app, "POST", "/reset", nil)
		first, second := e2etest.NewPasskey(app), e2etest.NewPasskey(app)
		c := e2etest.Program(t, app).SignedIn("alice@sandbox")
		c.Register(first)
		c.Register(second)
		c = e2etest.Program(t, app)
		c.Passkey("alice@sandbox", first)
		registered := list(c, "/users/me/authenticators", "authenticators")
		answers := make([]e2etest.Reply, len(registered))
		var wait sync.WaitGroup
		for i, one := range registered {
			id, _ := one["id"].(string)
			wait.Go(func() { answers[i] = c.Send("DELETE", "/users/me/authenticators/"+id, nil) })
		}
		wait.Wait()
		removed := 0
		for _, r := range answers {
			if r.Status < 300 {
				removed++
			} else if r.Status != http.StatusConflict || r.Text("key") != "authenticator.last" {
				t.Errorf("%d %s", r.Status, r.Body)
			}
		}
		if removed != len(registered)-1 {
			t.Errorf("%d of %d were removed", removed, len(registered))
		}
	}
}
