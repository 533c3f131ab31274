package main

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// platformCalls are the errands that call the platform, with the call that fails.
var platformCalls = map[string]string{
	"begin a registration":    "generateFidoRegistrationRequest",
	"finish a registration":   "registerFidoDevice",
	"sign in":                 "login",
	"sign in with a passkey":  "login",
	"push":                    "login",
	"begin a passkey sign-in": "generateFidoAuthenticationRequest",
	"poll":                    "sessionStatus",
	"authenticators":          "listFidoRegistrations",
	"rename":                  "renameFidoRegistration",
	"remove":                  "deleteFidoRegistration",
	"authenticators page":     "listFidoRegistrations",
	"password form":           "login",
	"transaction":             "validateTransaction",
	"activation":              "registerUser",
	"message of a device":     "orchestrationCommands",
}

const (
	upstreamTimeout = time.Second
	// little is what an answer may take beyond what it waits for.
	little = 250 * time.Millisecond
)

type fault map[string]any

// failures are the ways in which the platform can fail a call. Times 0 is every
// call, so that trying again does not help.
var failures = []struct {
	name   string
	fault  fault
	status int
	body   bool // it is in the body, which a call with nothing to read does not look at
}{
	{"stalled", fault{"delay": "30s"}, 503, false},
	{"unavailable", fault{"status": 503}, 503, false},
	{"busy", fault{"status": 429, "headers": fault{"Retry-After": "3"}}, 503, false},
	{"broken", fault{"status": 500}, 502, false},
	{"credential refused", fault{"status": 401}, 502, false},
	{"forbidden", fault{"status": 403}, 502, false},
	{"led elsewhere", fault{"status": 302, "headers": fault{"Location": "/elsewhere"}}, 502, false},
	{"a gateway's page", fault{"status": 502, "body": "<html><h1>Bad Gateway</h1></html>"}, 502, false},
	{"a page", fault{"status": 200, "body": "<html>Welcome</html>"}, 502, true},
	{"half an answer", fault{"status": 200, "body": `{"requestID":"x`}, 502, true},
	{"an answer that breaks off", fault{"status": 200, "body": fault{}, "headers": fault{"Content-Length": "1000"}}, 502, true},
	{"a list", fault{"status": 200, "body": []string{}}, 502, true},
}

// Whatever the platform does, the answer is there within the time-out, tells an
// outage from a failure, and leaves everybody signed in.
func TestPlatformFails(t *testing.T) {
	watch := newTimekeeper(t)
	var wait sync.WaitGroup
	for _, a := range errands {
		if operation := platformCalls[a.name]; operation != "" {
			wait.Go(func() { failInEveryWay(t, watch, a, operation) })
		}
	}
	wait.Wait()
}

func failInEveryWay(t *testing.T, watch *timekeeper, a errand, operation string) {
	app := boot(t, "UPSTREAM_TIMEOUT="+upstreamTimeout.String())
	for _, f := range failures {
		if f.body && operation == "renameFidoRegistration" {
			continue
		}
		manage(t, app, "POST", "/reset", nil)
		c := a.by(t, app).back("alice@sandbox")
		send := a.prepare(c)
		broken := maps.Clone(f.fault)
		broken["operation"], broken["times"] = operation, 0
		manage(t, app, "POST", "/faults", broken)
		what := a.name + ", the platform " + f.name
		r := watch.within(upstreamTimeout+little, what, send)
		if f.status == http.StatusServiceUnavailable {
			r.unavailable(what, "platform.unavailable", a.page)
		} else {
			r.failed(what, a.page)
		}
		c.send("GET", "/session", nil).want(http.StatusOK)
	}
}

// failed checks an answer for a call that the platform has failed.
func (r reply) failed(what string, page bool) {
	r.t.Helper()
	r.takesNothing(what)
	if media := r.header.Get("Content-Type"); r.status != http.StatusBadGateway || page != strings.HasPrefix(media, "text/html") {
		r.t.Errorf("%s: status %d, %s: %.200s", what, r.status, media, r.body)
	} else if !page && r.text("key") != "platform.failed" {
		r.t.Errorf("%s: %s", what, r.body)
	}
}

// A platform that is not there is told at once, and used as soon as it is back.
func TestPlatformRefusesConnections(t *testing.T) {
	app, watch := boot(t), newTimekeeper(t)
	for _, a := range errands {
		if platformCalls[a.name] == "" {
			continue
		}
		c := a.by(t, app).back("alice@sandbox")
		send := a.prepare(c)
		address := app.platform.Addr().String()
		if err := app.platform.close(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Two more tries, for calls that can be repeated, are all there is to wait for.
		watch.within(500*time.Millisecond, a.name, send).unavailable(a.name, "platform.unavailable", a.page)
		c.send("GET", "/session", nil).want(http.StatusOK)
		var err error
		if app.platform, err = listen(t.Context(), "platform", address); err != nil {
			t.Fatal(err)
		}
		app.platform.serve(app.sandbox, app.logger, app.failed)
		c.back("alice@sandbox")
	}
}

// After ten outages in a row nobody waits for the platform any more; a second
// later one call finds out whether it is back.
func TestPlatformIsSparedWhileItIsAway(t *testing.T) {
	app, watch := boot(t, "UPSTREAM_TIMEOUT=100ms"), newTimekeeper(t)
	c := program(t, app).signedIn("alice@sandbox")
	manage(t, app, "POST", "/faults", fault{"operation": "login", "delay": "30s", "times": 0})
	signIn := func() reply { return program(t, app).send("POST", "/users/bob@sandbox/login", rightPassword) }
	spared := false
	for range 30 {
		manage(t, app, "DELETE", "/journal", nil)
		r := watch.within(100*time.Millisecond+little, "sign in", signIn)
		r.unavailable("sign in", "platform.unavailable", false)
		if spared = len(journal(t, app)) == 0; spared {
			break
		}
	}
	if !spared {
		t.Error("the platform is called on and on")
	}
	watch.within(little, "another call", func() reply {
		return c.send("GET", "/users/me/authenticators", nil)
	}).unavailable("another call", "platform.unavailable", false)
	manage(t, app, "POST", "/reset", nil)
	eventually(t, "the platform is used again", func() bool { return signIn().status == http.StatusOK })
	c.send("GET", "/users/me/authenticators", nil).want(http.StatusOK)
}

// A sign-in that the platform could not judge is no failed one.
func TestOutagesDoNotCountAsFailedSignIns(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=2/m")
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 503, "times": 4})
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 500, "times": 4})
	for range 4 {
		program(t, app).send("POST", "/users/alice@sandbox/login", rightPassword).refused(503, "platform.unavailable")
	}
	for range 4 {
		program(t, app).send("POST", "/users/alice@sandbox/login", rightPassword).refused(502, "platform.failed")
	}
	for range 2 {
		wrongPassword(program(t, app), "alice@sandbox").refused(http.StatusConflict, "sign-in.refused")
	}
	wrongPassword(program(t, app), "alice@sandbox").refused(http.StatusTooManyRequests, "request.rate")
}

// A ceremony is spent before the platform is called. If that call fails nobody
// knows what the platform made of it, so it stays spent, and the next one works.
func TestACeremonyStaysSpentWhenThePlatformFails(t *testing.T) {
	app := boot(t)
	c, key := browser(t, app), newPasskey(app)
	c.password("alice@sandbox")
	response := c.create(key, c.requestRegistration().want(http.StatusOK))
	manage(t, app, "POST", "/faults", fault{"operation": "registerFidoDevice", "status": 503})
	c.finishRegistration(response).unavailable("register", "platform.unavailable", false)
	c.finishRegistration(response).refused(http.StatusConflict, "ceremony.spent")
	key = newPasskey(app)
	c.register(key)

	somebody := program(t, app)
	response = somebody.get(key, somebody.requestSignIn("alice@sandbox"))
	manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 503})
	somebody.finishSignIn("alice@sandbox", response).unavailable("sign in", "platform.unavailable", false)
	somebody.finishSignIn("alice@sandbox", response).refused(http.StatusConflict, "ceremony.spent")
	somebody.passkey("alice@sandbox", key)
}

// What somebody is called is no reason to keep them waiting for long.
func TestAProfileKeepsNobodyOut(t *testing.T) {
	app := boot(t, "UPSTREAM_TIMEOUT=30s")
	manage(t, app, "POST", "/faults", fault{"operation": "getUser", "times": 0, "delay": "30s"})
	begin := time.Now()
	c := program(t, app).signedIn("alice@sandbox")
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	user, _ := c.send("GET", "/session", nil).want(http.StatusOK).member("user").(map[string]any)
	if user["id"] != "alice@sandbox" || user["displayName"] != nil {
		t.Errorf("signed in as %v", user)
	}
}
