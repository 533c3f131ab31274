package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// spellings of alice@sandbox that the platform takes for one person.
var spellings = []string{"alice@sandbox", "ALICE@sandbox", "Alice@SANDBOX", "alice@Sandbox", "aLiCe%40sandbox"}

// user is who c is signed in as.
func user(c *client) map[string]any {
	c.t.Helper()
	user, _ := c.send("GET", "/session", nil).want(http.StatusOK).member("user").(map[string]any)
	return user
}

// list is the member called name of the answer at path.
func list(c *client, path, name string) []map[string]any {
	c.t.Helper()
	all, _ := c.send("GET", path, nil).want(http.StatusOK).member(name).([]any)
	out := make([]map[string]any, len(all))
	for i, one := range all {
		out[i], _ = one.(map[string]any)
	}
	return out
}

func TestOnePersonHasOneSpelling(t *testing.T) {
	app := boot(t)
	for _, spelling := range spellings {
		c := program(t, app)
		r := c.send("POST", "/users/"+spelling+"/login", `{"credentials":{"passKey":"Sandbox-1!"}}`).want(http.StatusOK)
		c.carry(r)
		if id := user(c)["id"]; id != "alice@sandbox" {
			t.Errorf("%s is signed in as %v", spelling, id)
		}
		for _, own := range spellings {
			c.send("GET", "/users/"+own+"/authenticators", nil).want(http.StatusOK)
		}
		c.send("GET", "/users/bob@sandbox/authenticators", nil).want(http.StatusForbidden)
	}
	c := program(t, app)
	c.carry(c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`).want(http.StatusOK))
	if n := len(list(c, "/account/sessions", "sessions")); n != len(spellings)+1 {
		t.Errorf("%d sessions are listed, want %d", n, len(spellings)+1)
	}
	c.send("DELETE", "/account/sessions", nil).want(http.StatusNoContent)
	if n := len(list(c, "/account/sessions", "sessions")); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

// An operator is one in every spelling.
func TestAnOperatorIsOneInEverySpelling(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	c.carry(c.send("POST", "/users/CAROL@Sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`).want(http.StatusOK))
	if operator := user(c)["operator"]; operator != true {
		t.Errorf("operator: %v", operator)
	}
}

// An escaped plus is a plus, and not a space.
func TestAPlusInAPathIsAPlus(t *testing.T) {
	app := boot(t)
	manage(t, app, "PUT", "/users/alice+work@sandbox", map[string]any{"passKey": "Sandbox-1!"})
	for _, spelling := range []string{"alice+work@sandbox", "alice%2Bwork@sandbox", "alice%2bwork%40sandbox", "alice+work%40sandbox"} {
		c := program(t, app)
		c.carry(c.send("POST", "/users/"+spelling+"/login", `{"credentials":{"passKey":"Sandbox-1!"}}`).want(http.StatusOK))
		if id := user(c)["id"]; id != "alice+work@sandbox" {
			t.Errorf("%s is signed in as %v", spelling, id)
		}
	}
}

// A name alone counts against the same limit as the whole id, in every spelling.
func TestEverySpellingCountsAsOneTry(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=10/m")
	bodies := []string{
		`{"userID":"erin","staticPassword":"x"}`, `{"userID":"ERIN","staticPassword":"x"}`,
		`{"userID":"erin@sandbox","staticPassword":"x"}`, `{"userID":"Erin","domain":"SANDBOX","staticPassword":"x"}`,
		`{"userID":"erin@SANDBOX","domain":"sandbox","staticPassword":"x"}`,
	}
	refused := 0
	for i := range 15 {
		if program(t, app).send("POST", "/users/register", bodies[i%len(bodies)]).status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d of 15 tries were refused for their number, want 5", refused)
	}
}

func TestNoBrowserIsHandedAToken(t *testing.T) {
	app := boot(t)
	for name, header := range map[string][2]string{
		"Origin": {"Origin", app.URL()}, "Sec-Fetch-Site": {"Sec-Fetch-Site", "same-origin"},
	} {
		for _, call := range [][2]string{
			{"/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`},
			{"/users/alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`},
			{"/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`},
		} {
			c := program(t, app)
			c.header.Set(header[0], header[1])
			c.header.Set("Countersign-Session", "bearer")
			r := c.send("POST", call[0], call[1])
			if r.status >= 300 || strings.Contains(string(r.body), "sessionToken") || r.header.Get("Set-Cookie") == "" {
				t.Errorf("%s, %s: %d, cookie %q, %s", name, call[0], r.status, r.header.Get("Set-Cookie"), r.body)
			}
		}
	}
}

// An app whose token is over signs in again with it in its header, and gets a
// token.
func TestADeadTokenIsAPrograms(t *testing.T) {
	app := boot(t)
	for _, dead := range []string{"Bearer " + strings.Repeat("A", 43), "bearer x", "Bearer "} {
		c := program(t, app)
		c.header.Del("Countersign-Session")
		c.header.Set("Authorization", dead)
		for _, call := range [][2]string{
			{"/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`},
			{"/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"UAF11"}`},
		} {
			r := c.send("POST", call[0], call[1]).want(http.StatusOK)
			if r.text("sessionToken") == "" || r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s, %s: cookie %q, %s", dead, call[0], r.header.Get("Set-Cookie"), r.body)
			}
		}
		for _, call := range []string{"GET /session", "DELETE /session", "GET /account/sessions", "GET /users/me/authenticators", "GET /account"} {
			method, path, _ := strings.Cut(call, " ")
			c.send(method, path, nil).want(http.StatusUnauthorized)
		}
		c.header.Set("Origin", app.URL())
		c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`).want(http.StatusUnauthorized)
	}
}

// Two requests at once do not remove both of a person's last authenticators.
func TestTheLastAuthenticatorStays(t *testing.T) {
	app := boot(t)
	for range 5 {
		manage(t, app, "POST", "/reset", nil)
		first, second := newPasskey(app), newPasskey(app)
		c := program(t, app).signedIn("alice@sandbox")
		c.register(first)
		c.register(second)
		c = program(t, app)
		c.passkey("alice@sandbox", first)
		registered := list(c, "/users/me/authenticators", "authenticators")
		answers := make([]reply, len(registered))
		var wait sync.WaitGroup
		for i, one := range registered {
			id, _ := one["id"].(string)
			wait.Go(func() { answers[i] = c.send("DELETE", "/users/me/authenticators/"+id, nil) })
		}
		wait.Wait()
		removed := 0
		for _, r := range answers {
			if r.status < 300 {
				removed++
			} else if r.status != http.StatusConflict || r.text("key") != "authenticator.last" {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
		if removed != len(registered)-1 {
			t.Errorf("%d of %d were removed", removed, len(registered))
		}
	}
}

// Too large a body is a try.
func TestTooLargeABodyIsATry(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN_ADDRESS=60/m")
	limited := false
	for range 70 {
		r := program(t, app).send("POST", "/users/register", `{"x":"`+strings.Repeat("x", 300<<10)+`"}`)
		if limited = limited || r.status == http.StatusTooManyRequests; !limited && r.status != http.StatusRequestEntityTooLarge {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	if !limited {
		t.Error("70 bodies that are too large are not limited")
	}
}
