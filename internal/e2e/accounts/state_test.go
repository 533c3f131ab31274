// Package accounts_test registers authenticators of both protocols, activates phones, and tries who
// can still use their account and what operators do about other people's.
package accounts_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

type members = map[string]any

const alice = "alice@sandbox"

// asked returns how often the platform was asked for a user during do.
func asked(t *testing.T, app *e2etest.App, do func()) (count int) {
	t.Helper()
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	do()
	for _, operation := range e2etest.Journal(t, app) {
		if operation == "getUser" {
			count++
		}
	}
	return count
}

// becomes changes alice at the platform.
func becomes(t *testing.T, app *e2etest.App, what members) {
	t.Helper()
	e2etest.Manage(t, app, "PUT", "/users/"+alice, what)
}

// The platform is asked once for all sessions and requests of a person, on all nodes
// together, and only after the set time.
func TestPlatform_AskedOncePerPerson(t *testing.T) {
	nodes, clock := e2etest.BootNodes(t, 2)
	one, other := e2etest.Program(t, nodes[0]).SignedIn(alice), e2etest.Program(t, nodes[1]).SignedIn(alice)
	everywhere := func() {
		var all sync.WaitGroup
		for range 4 {
			for _, c := range []*e2etest.Client{one, one.On(nodes[1]), other, other.On(nodes[0])} {
				all.Go(func() { c.Send("GET", "/session", nil).Want(http.StatusOK) })
			}
		}
		all.Wait()
	}
	if n := asked(t, nodes[0], everywhere); n != 0 {
		t.Errorf("it is asked %d times at once", n)
	}
	clock.Advance(5*time.Minute + time.Second)
	if n := asked(t, nodes[0], everywhere); n != 1 {
		t.Errorf("it is asked %d times when it is due", n)
	}
	if n := asked(t, nodes[0], everywhere); n != 0 {
		t.Errorf("it is asked %d times after that", n)
	}
}

// routes are requests of a signed-in person, one of each kind.
var routes = []struct{ method, path, accept string }{
	{"GET", "/session", ""}, {"PATCH", "/session", ""}, {"GET", "/account/sessions", ""}, {"GET", "/users/me/authenticators", ""},
	{"POST", "/users/me/generate-fido-authentication-request", ""}, {"GET", "/api/packages", ""}, {"POST", "/api/packages", ""},
	{"GET", "/packages/x/events", ""}, {"GET", "/", "text/html"}, {"GET", "/account", "text/html"}, {"GET", "/authenticators", "text/html"},
	{"GET", "/packages", "text/html"}, {"GET", "/packages/new", "text/html"},
}

// Whatever a person does whose account is disabled, locked or gone: it ends every session of
// theirs, on every node.
func TestAccount_DisabledEndsSessions(t *testing.T) {
	nodes, clock := e2etest.BootNodes(t, 2, "ACCOUNT_CHECK=10s")
	verdicts := map[string]func(){
		"disabled": func() { becomes(t, nodes[0], members{"enabled": false}) },
		"locked":   func() { becomes(t, nodes[0], members{"locked": true}) },
		"expired":  func() { becomes(t, nodes[0], members{"expired": true}) },
		"gone": func() {
			e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 404, "error": "User account not found"})
		},
	}
	for name, happen := range verdicts {
		for i, route := range routes {
			if i > 0 && name != "disabled" { // the verdicts differ in their reason alone
				continue
			}
			t.Run(name+" "+route.method+" "+route.path, func(t *testing.T) {
				becomes(t, nodes[0], members{"status": "active"})
				here, there := e2etest.Program(t, nodes[0]).SignedIn(alice), e2etest.Program(t, nodes[1]).SignedIn(alice)
				clock.Advance(11 * time.Second)
				happen()
				r := here.Send(route.method, route.path, nil, "Accept", route.accept)
				if route.accept != "" {
					r.Want(http.StatusSeeOther)
					said := here.On(nodes[1]).Send("GET", r.Header.Get("Location"), nil, "Accept", "text/html", "Authorization", "").Want(http.StatusOK)
					if !strings.Contains(string(said.Body), "Your account can no longer be used here.") {
						t.Errorf("the sign-in page says %s", said.Body)
					}
				} else if r.Refused(http.StatusUnauthorized, "session.account"); r.Text("action") != "sign-in" {
					t.Errorf("it is answered %s", r.Body)
				}
				for _, c := range []*e2etest.Client{here, here.On(nodes[1]), there, there.On(nodes[0])} {
					c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
				}
			})
		}
	}
}

// An expired password, an answer without flags and another 404 end nothing, and what the platform
// says about the person counts at once.
func TestAccount_AnswersThatEndNothing(t *testing.T) {
	nodes, clock := e2etest.BootNodes(t, 2, "ACCOUNT_CHECK=10s")
	c := e2etest.Program(t, nodes[0]).SignedIn(alice)
	for name, happen := range map[string]func(){
		"an expired password": func() { becomes(t, nodes[0], members{"status": "passwordExpired"}) },
		"another 404": func() {
			e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 404, "body": "<html>not here</html>"})
		},
		"an answer without flags": func() {
			e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 200,
				"body": members{"userID": "alice", "domain": "sandbox", "status": "disabled", "emailAddress": "alice@sandbox.example"}})
		},
		"a connection that is cut": func() { e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "cut": 0}) },
		"a failure":                func() { e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 500}) },
	} {
		clock.Advance(11 * time.Second)
		happen()
		if n := asked(t, nodes[0], func() { c.Send("GET", "/session", nil).Want(http.StatusOK) }); n != 1 {
			t.Errorf("%s: it is asked %d times", name, n)
		}
	}
	if metrics := e2etest.Asked(t, nodes[0], "/metrics").Body; !e2etest.Has(metrics, `countersign_account_checks_total{verdict="unreadable"} 1`) {
		t.Error("no answer without flags is counted")
	}
	becomes(t, nodes[0], members{"status": "active", "displayName": "Alice Other", "email": "other@sandbox.example"})
	clock.Advance(11 * time.Second)
	user, _ := c.On(nodes[1]).Send("GET", "/session", nil).Want(http.StatusOK).Member("user").(members)
	if user["displayName"] != "Alice Other" || user["email"] != "other@sandbox.example" {
		t.Errorf("the session's user is %v", user)
	}
}

// A platform that fails is asked again every ten seconds. After the grace what the account's
// own keys do is refused, and the session stays.
func TestPlatform_DoesNotAnswer(t *testing.T) {
	nodes, clock := e2etest.BootNodes(t, 2, "ACCOUNT_CHECK=1m", "ACCOUNT_GRACE=2m")
	c := e2etest.Program(t, nodes[0]).SignedIn(alice)
	e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "status": 409, "times": 0})
	ask := func() {
		for _, one := range []*e2etest.Client{c, c.On(nodes[1]), c} {
			one.Send("GET", "/session", nil).Want(http.StatusOK)
		}
	}
	for _, one := range []struct {
		later time.Duration
		asked int
	}{{50 * time.Second, 0}, {11 * time.Second, 1}, {5 * time.Second, 0}, {6 * time.Second, 1}} {
		clock.Advance(one.later)
		if n := asked(t, nodes[0], ask); n != one.asked {
			t.Errorf("%v later it is asked %d times, not %d", one.later, n, one.asked)
		}
	}
	c.Send("GET", "/api/packages", nil).Want(http.StatusOK)
	clock.Advance(2 * time.Minute)
	if r := c.Send("GET", "/api/packages", nil).Refused(http.StatusServiceUnavailable, "platform.unavailable"); r.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
	c.Page("/packages").Want(http.StatusServiceUnavailable)
	c.On(nodes[1]).Page("/packages/new").Want(http.StatusServiceUnavailable)
	c.Send("GET", "/packages/x/events", nil).Refused(http.StatusServiceUnavailable, "platform.unavailable")
	c.Page("/account").Want(http.StatusOK)
	c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK)
	e2etest.Manage(t, nodes[0], "POST", "/reset", nil)
	clock.Advance(11 * time.Second)
	c.Send("GET", "/api/packages", nil).Want(http.StatusOK)
}

// A request of a slow platform waits two seconds; signing out waits for nobody.
func TestPlatform_SlowAnswer(t *testing.T) {
	nodes, clock := e2etest.BootNodes(t, 1)
	c, leaving := e2etest.Program(t, nodes[0]).SignedIn(alice), e2etest.Program(t, nodes[0]).SignedIn(alice)
	clock.Advance(6 * time.Minute)
	e2etest.Manage(t, nodes[0], "POST", "/faults", members{"operation": "getUser", "delay": "8s"})
	begin := time.Now()
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { c.Send("GET", "/session", nil).Want(http.StatusOK) })
	}
	if n := asked(t, nodes[0], func() { leaving.Send("DELETE", "/session", nil).Want(http.StatusNoContent) }); n > 1 || time.Since(begin) > time.Second {
		t.Errorf("signing out took %v", time.Since(begin))
	}
	all.Wait()
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}
