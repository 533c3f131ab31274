package failures_test

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
	{"busy", e2etest.Fault{"status": 429, "headers": e2etest.Fault{"Retry-After": "3"}}, 503, false},
	{"broken", e2etest.Fault{"status": 500}, 502, false},
	{"led elsewhere", e2etest.Fault{"status": 302, "headers": e2etest.Fault{"Location": "/elsewhere"}}, 502, false},
	{"a gateway's page", e2etest.Fault{"status": 502, "body": "<html><h1>Bad Gateway</h1></html>"}, 502, false},
	{"half an answer", e2etest.Fault{"status": 200, "body": `{"requestID":"x`}, 502, true},
	{"an answer that breaks off", e2etest.Fault{"status": 200, "body": e2etest.Fault{}, "headers": e2etest.Fault{"Content-Length": "1000"}}, 502, true},
}

// Whatever the platform does, the answer comes within the time-out, distinguishes an
// outage from a failure, and leaves everybody signed in.
func TestPlatform_Fails(t *testing.T) {
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

// A firewall that cuts the connection of some passwords, and an operation that fails for one
// person alone, keep nobody else out.
func TestPlatform_FailuresOfOneUser(t *testing.T) {
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
