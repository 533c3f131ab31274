package signin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// listeningPlatform knows alice and bob, with any password and any one-time password
// except 123456, and records requests.
type listeningPlatform struct {
	mu     sync.Mutex
	bodies []string
}

func (p *listeningPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost {
		p.mu.Lock()
		p.bodies = append(p.bodies, string(body))
		p.mu.Unlock()
	}
	answer, status := `{"sessionStatus":"accepted"}`, http.StatusOK
	switch known := strings.Contains(r.URL.Path, "/alice@") || strings.Contains(r.URL.Path, "/bob@"); {
	case !known, strings.Contains(string(body), `"123456"`):
		answer, status = `{"message":"User account not found"}`, http.StatusNotFound
	case r.Method == http.MethodGet:
		answer = `{"enabled":true,"locked":false}`
	case strings.Contains(string(body), "pushNotification"):
		answer = `{"sessionStatus":"pending","requestID":"4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f"}`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// last returns the last body, decoded.
func (p *listeningPlatform) last(t *testing.T) (members map[string]any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal([]byte(p.bodies[len(p.bodies)-1]), &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// Texts on a person's phone, and the data by which the platform judges a sign-in, come
// only from the signed-in person.
func TestPush_TextsFromSignedInUser(t *testing.T) {
	platform := &listeningPlatform{}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	app := e2etest.InFrontOf(t, server.URL)
	owner, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	const own = `"loginMessage":{"title":{"text":"Your prize"},"subject":"Tap here"},"sessionID":"s","cddc":{"browserCDDC":{"fingerprintHash":"x"}},"requestID":"0f8c1d2e-3b4a-4596-a7b8-c9d0e1f2a3b4"`
	for _, c := range []*e2etest.Client{e2etest.Program(t, app), e2etest.Browser(t, app), other} {
		c.Elsewhere().Send("POST", "/users/ALICE@Sandbox/login", `{`+own+`,"orchestrationDelivery":["pushNotification"]}`).Want(http.StatusAccepted)
		for _, name := range []string{"loginMessage", "sessionID", "cddc", "requestID"} {
			if platform.last(t)[name] != nil {
				t.Errorf("sent %s: %v", name, platform.last(t))
			}
		}
	}
	r := owner.Elsewhere().Send("POST", "/users/Alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"],`+own+`}`).Want(http.StatusAccepted)
	if platform.last(t)["sessionID"] != nil || platform.last(t)["objectType"] != "LoginInput" {
		t.Errorf("without risk analytics: %v", platform.last(t))
	}
	for _, name := range []string{"loginMessage", "cddc"} {
		if platform.last(t)[name] == nil {
			t.Errorf("the owner's %s was not sent", name)
		}
	}
	if platform.last(t)["requestID"] != nil {
		t.Error("a requestID was sent that the session does not hold")
	}
	owner.Elsewhere().Send("POST", "/users/me/login", `{"credentials":{"authenticator":{"OTP":"654321"}},"requestID":"`+r.Text("requestID")+`"}`).Want(http.StatusOK)
	if platform.last(t)["requestID"] != r.Text("requestID") {
		t.Errorf("the session's requestID was not sent: %v", platform.last(t))
	}
}

// Where the platform has risk analytics, it gets what clients send for them, from a person who signs
// in, if that is all that they require.
func TestRiskAnalytics_DataPassedOn(t *testing.T) {
	platform := &listeningPlatform{}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	app := e2etest.InFrontOf(t, server.URL, "IDENTITY_ADAPTIVE=on")
	const login = `{"credentials":{"passKey":"Sandbox-1!"},"relationshipRef":"r","cddc":{"mobileCDDC":{}},"sessionID":`
	c := e2etest.Program(t, app)
	c.Send("POST", "/users/alice@sandbox/login", login+`"0aF1","applicationRef":"a"}`).Want(http.StatusOK)
	for name, want := range map[string]string{"objectType": "AdaptiveLoginInput", "relationshipRef": "r", "sessionID": "0aF1", "applicationRef": "a"} {
		if platform.last(t)[name] != want {
			t.Errorf("%s is %v", name, platform.last(t)[name])
		}
	}
}

const passwordAndPush = `{"credentials":{"passKey":"Sandbox-1!"},"orchestrationDelivery":["pushNotification"]}`

// One push of an address waits at a time, in any spelling, and with a limit of three an
// hour, three reach an account from any address; an unknown account counts like an existing
// one.
func TestPush_RateLimited(t *testing.T) {
	app := e2etest.Boot(t, "RATE_PUSH=3/h")
	for _, user := range []string{"alice", "nobody"} {
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		c := e2etest.Program(t, app).Elsewhere()
		c.Send("POST", "/users/"+user+"@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
		again := c.Send("POST", "/users/"+strings.ToUpper(user)+"@sandbox/login", e2etest.PushedSignIn).Refused(http.StatusTooManyRequests, "request.rate")
		if seconds, err := strconv.Atoi(again.Header.Get("Retry-After")); err != nil || seconds < 30 || seconds > 60 {
			t.Errorf("%s: Retry-After %q", user, again.Header.Get("Retry-After"))
		}
		for i, ask := range []string{e2etest.PushedSignIn, e2etest.PushedSignIn, e2etest.PushedSignIn, passwordAndPush} {
			r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/"+user+"@sandbox/login", ask)
			if (r.Status == http.StatusTooManyRequests) != (i >= 2) || r.Status == http.StatusTooManyRequests && r.Header.Get("Retry-After") == "" {
				t.Errorf("%s, push %d: %d %s", user, i+2, r.Status, r.Body)
			}
		}
		if got := e2etest.Journal(t, app); len(got) != 3 {
			t.Errorf("%s: the platform was asked for %v", user, got)
		}
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
