package signin_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// What a client sends for the platform's risk analytics reaches the platform, where it has them, and
// texts for a person's phone if that person is signed in.
func TestLogin_DataPassedOn(t *testing.T) {
	app, platform := e2etest.BootApart(t, "IDENTITY_ADAPTIVE=on")
	logins := make(chan string, 1)
	platform.Fail(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			logins <- string(body)
		}
		platform.Pass(w, r)
	})
	const data = `{"loginMessage":{"subject":"Tap here"},"relationshipRef":"r","cddc":{"mobileCDDC":{}},"sessionID":"0aF1","applicationRef":"a","credentials":{"passKey":"Sandbox-1!"}}`
	c := e2etest.Program(t, app)
	for _, owner := range []bool{false, true} {
		r := c.Send("POST", "/users/Alice@sandbox/login", data).Want(http.StatusOK)
		sent := <-logins
		for _, member := range []string{`"AdaptiveLoginInput"`, `"relationshipRef":"r"`, `"sessionID":"0aF1"`, `"applicationRef":"a"`, `"mobileCDDC"`} {
			if !strings.Contains(sent, member) {
				t.Errorf("the platform was not sent %s: %s", member, sent)
			}
		}
		if strings.Contains(sent, "Tap here") != owner {
			t.Errorf("signed in before (%t), the platform was sent %s", owner, sent)
		}
		c.Carry(r)
	}
}

// With a limit of one an hour, one push reaches an account from any address.
func TestPush_RateLimited(t *testing.T) {
	app := e2etest.Boot(t, "RATE_PUSH=1/h")
	e2etest.Push(e2etest.Program(t, app).Elsewhere(), "alice@sandbox")
	r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/ALICE@sandbox/login", e2etest.PushedSignIn).Refused(http.StatusTooManyRequests, "request.rate")
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 60 {
		t.Errorf("Retry-After %q", r.Header.Get("Retry-After"))
	}
}

// A push that the platform ends as failed is told to the browser that remembers a person who
// has signed in there, and to nobody who only knows the name: a cookie that anybody can write
// is no proof.
func TestPush_FailureToldToOwnBrowser(t *testing.T) {
	app := e2etest.Boot(t, "PUSH_SIGN_IN=true")
	own := e2etest.Browser(t, app)
	own.Post("/login", "step", "user", "user", "alice@sandbox", "remember", "yes").Want(http.StatusSeeOther)
	own.SignedIn("alice@sandbox").Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	typed := e2etest.Browser(t, app)
	typed.Post("/login", "step", "user", "user", "alice@sandbox", "remember", "yes").Want(http.StatusSeeOther)
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 0, "body": map[string]any{"sessionStatus": "failed"}})
	told := func(c *e2etest.Client, user, want string) {
		t.Helper()
		if got := c.Send("GET", "/sessions/"+e2etest.Push(c.Elsewhere(), user).Text("requestID"), nil).Want(http.StatusOK).Text("sessionStatus"); got != want {
			t.Errorf("a push to %s: %s, not %s", user, got, want)
		}
	}
	told(own, "alice@sandbox", "failed")
	told(own, "bob@sandbox", "pending")
	told(typed, "alice@sandbox", "pending")
	told(e2etest.Browser(t, app), "nobody@sandbox", "pending")
	own.Post("/login", "step", "forget").Want(http.StatusSeeOther)
	told(own, "alice@sandbox", "pending")
}
