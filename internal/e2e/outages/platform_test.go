package outages_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// platformCalls are the calls that call the platform, with the operation that fails.
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
	// upstreamTimeout is more than a test's preparations take on a busy machine.
	upstreamTimeout = 3 * time.Second
	// little is the time that an answer may take beyond its wait.
	little = 250 * time.Millisecond
)

// failures are the ways in which the platform can fail a call. Times 0 means every call,
// so that a retry does not help.
var failures = []struct {
	name   string
	fault  e2etest.Fault
	status int
	body   bool // it is in the body, which a call without a response does not read
}{
	{"stalled", e2etest.Fault{"delay": "30s"}, 503, false},
	{"unavailable", e2etest.Fault{"status": 503}, 503, false},
	{"busy", e2etest.Fault{"status": 429, "headers": e2etest.Fault{"Retry-After": "3"}}, 503, false},
	{"broken", e2etest.Fault{"status": 500}, 502, false},
	{"credential refused", e2etest.Fault{"status": 401}, 502, false},
	{"forbidden", e2etest.Fault{"status": 403}, 502, false},
	{"led elsewhere", e2etest.Fault{"status": 302, "headers": e2etest.Fault{"Location": "/elsewhere"}}, 502, false},
	{"a gateway's page", e2etest.Fault{"status": 502, "body": "<html><h1>Bad Gateway</h1></html>"}, 502, false},
	{"a page", e2etest.Fault{"status": 200, "body": "<html>Welcome</html>"}, 502, true},
	{"half an answer", e2etest.Fault{"status": 200, "body": `{"requestID":"x`}, 502, true},
	{"an answer that breaks off", e2etest.Fault{"status": 200, "body": e2etest.Fault{}, "headers": e2etest.Fault{"Content-Length": "1000"}}, 502, true},
	{"a list", e2etest.Fault{"status": 200, "body": []string{}}, 502, true},
}

// Whatever the platform does, the answer comes within the time-out, distinguishes an
// outage from a failure, and leaves everybody signed in.
func TestPlatformFails(t *testing.T) {
	watch := e2etest.NewStopwatch(t)
	var wait sync.WaitGroup
	for _, a := range calls {
		if operation := platformCalls[a.name]; operation != "" {
			wait.Go(func() { failInEveryWay(t, watch, a, operation) })
		}
	}
	wait.Wait()
}

func failInEveryWay(t *testing.T, watch *e2etest.Stopwatch, a call, operation string) {
	app := e2etest.Boot(t, "UPSTREAM_TIMEOUT="+upstreamTimeout.String())
	for _, f := range failures {
		if f.body && operation == "renameFidoRegistration" {
			continue
		}
		e2etest.Manage(t, app, "POST", "/reset", nil)
		c := a.by(t, app).Back("alice@sandbox")
		send := a.prepare(c)
		broken := maps.Clone(f.fault)
		broken["operation"], broken["times"] = operation, 0
		e2etest.Manage(t, app, "POST", "/faults", broken)
		what := a.name + ", the platform " + f.name
		r := watch.Within(upstreamTimeout+little, what, send)
		if f.status == http.StatusServiceUnavailable {
			a.unavailable(what, "platform.unavailable", r)
		} else {
			failed(r, what, a.page)
		}
		c.Send("GET", "/session", nil).Want(http.StatusOK)
	}
}

// failed checks the answer to a call that the platform has failed.
func failed(r e2etest.Reply, what string, page bool) {
	r.T.Helper()
	r.TakesNothing(what)
	if media := r.Header.Get("Content-Type"); r.Status != http.StatusBadGateway || page != strings.HasPrefix(media, "text/html") {
		r.T.Errorf("%s: status %d, %s: %.200s", what, r.Status, media, r.Body)
	} else if !page && r.Text("key") != "platform.failed" && r.Text("key") != "orchestration.system-error" { // which the service said itself
		r.T.Errorf("%s: %s", what, r.Body)
	}
}

// A platform that refuses connections is reported at once, and used as soon as it is
// back.
func TestPlatformRefusesConnections(t *testing.T) {
	app, platform := e2etest.BootApart(t)
	watch := e2etest.NewStopwatch(t)
	for _, a := range calls {
		if platformCalls[a.name] == "" {
			continue
		}
		c := a.by(t, app).Back("alice@sandbox")
		send := a.prepare(c)
		platform.Stop()
		// The only delay is two more tries, for repeatable calls.
		a.unavailable(a.name, "platform.unavailable", watch.Within(500*time.Millisecond, a.name, send))
		c.Send("GET", "/session", nil).Want(http.StatusOK)
		platform.Start()
		c.Back("alice@sandbox")
	}
}

// After ten outages in a row nobody waits for the platform any more; a second later a
// question finds out whether it is back.
func TestPlatformIsSparedWhileItIsAway(t *testing.T) {
	const shortly = 500 * time.Millisecond
	app, platform := e2etest.BootApart(t, "UPSTREAM_TIMEOUT="+shortly.String())
	watch := e2etest.NewStopwatch(t)
	signIn := func() e2etest.Reply {
		return e2etest.Program(t, app).Send("POST", "/users/bob@sandbox/login", e2etest.RightPassword)
	}
	for name, fail := range map[string]http.HandlerFunc{
		"stalled": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or its end would not be noticed
			<-r.Context().Done()
		},
		"away": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"cut":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		platform.Fail(fail)
		spared := func() bool { // on a busy machine, one may come so late that a trial is due
			for range 30 {
				platform.Failed()
				if r := signIn(); r.Status != http.StatusServiceUnavailable && r.Status != http.StatusBadGateway {
					t.Errorf("%s: %d %s", name, r.Status, r.Body)
				}
				if platform.Failed() == 0 {
					return true
				}
			}
			return false
		}
		if !spared() {
			t.Errorf("%s: the platform is called on and on", name)
		}
		for range 10 { // on a busy machine, some may come so late that a trial is due
			platform.Failed()
			r := watch.Within(shortly+little, name, signIn)
			if platform.Failed() == 0 {
				r.Unavailable(name, "platform.unavailable", false)
				break
			}
		}
		platform.Mend()
		e2etest.Eventually(t, "the platform is used again", func() bool { return signIn().Status == http.StatusOK })
	}
}

// A firewall that cuts the connection of some passwords, and an operation that fails for one
// person alone, keep nobody else out.
func TestOnePersonsFailuresKeepNobodyOut(t *testing.T) {
	app, platform := e2etest.BootApart(t)
	platform.Fail(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("union select")) {
			panic(http.ErrAbortHandler)
		}
		if strings.HasSuffix(r.URL.Path, "/fido-registrations") {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		platform.Pass(w, r)
	})
	const attack = `{"credentials":{"passKey":"' union select"}}`
	c := e2etest.Program(t, app).Back("alice@sandbox")
	for i := range 20 {
		e2etest.Program(t, app).Send("POST", fmt.Sprintf("/users/m%d@sandbox/login", i), attack).Unavailable("the attack", "platform.unavailable", false)
		c.Send("GET", "/users/me/authenticators", nil).Refused(http.StatusBadGateway, "platform.failed")
	}
	for range 20 {
		e2etest.Program(t, app).Send("POST", "/users/bob@sandbox/login", e2etest.RightPassword).Want(http.StatusOK)
	}
}

// A missing display name delays a sign-in only briefly.
func TestAProfileKeepsNobodyOut(t *testing.T) {
	app := e2etest.Boot(t, "UPSTREAM_TIMEOUT=30s")
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getUser", "times": 0, "delay": "30s"})
	begin := time.Now()
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	user, _ := c.Send("GET", "/session", nil).Want(http.StatusOK).Member("user").(map[string]any)
	if user["id"] != "alice@sandbox" || user["displayName"] != nil {
		t.Errorf("signed in as %v", user)
	}
}
