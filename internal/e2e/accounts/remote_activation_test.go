package accounts_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func aPushedTransactionIsConfirmedByItsPersonAlone(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	for _, decision := range []struct{ given, status string }{{"accept", "accepted"}, {"refuse", "refused"}} {
		id := alice.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
		bob.Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")
		e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": decision.given})
		r := alice.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK)
		if r.Text("sessionStatus") != decision.status || r.Member("sessionToken") != nil {
			t.Errorf("%s: %s", decision.given, r.Body)
		}
		alice.Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")
	}
	id := alice.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
	e2etest.Manage(t, app, "POST", "/clock", map[string]any{"advance": "61s"})
	if status := alice.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "timeout" {
		t.Errorf("after its time: %s", status)
	}
	alice.Send("POST", "/users/bob@sandbox/transactions/validate", e2etest.PushedTransaction).Refused(http.StatusForbidden, "session.forbidden")
	e2etest.Program(t, app).Send("POST", "/users/alice@sandbox/transactions/validate", e2etest.PushedTransaction).Refused(http.StatusUnauthorized, "session.required")
}

func anActivationPasswordGoesToItsOwner(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	const mine = `{"userID":"alice","domain":"sandbox","activationType":"onlineMDL"}`
	password := c.Send("POST", "/users/register", mine).Want(http.StatusOK).Text("activationPassword")
	if password == "" {
		t.Fatal("no activation password")
	}
	c.Send("POST", "/users/register", `{"userID":"bob@sandbox"}`).Refused(http.StatusForbidden, "session.forbidden")
	answer := e2etest.Program(t, app).Activate("alice@sandbox", password, "android").Want(http.StatusOK).Text("command")
	if said, err := hex.DecodeString(answer); err != nil || !json.Valid(said) || !strings.Contains(string(said), "serialNumber") {
		t.Errorf("the platform's command is %q (%v)", said, err)
	}

	strict := e2etest.Program(t, e2etest.Boot(t, "STEP_UP_AGE=1ms")).SignedIn("alice@sandbox")
	e2etest.Eventually(t, "the sign-in grows old", func() bool { return strict.Send("POST", "/users/register", mine).Status == http.StatusForbidden })
	strict.Send("POST", "/users/register", mine).Refused(http.StatusForbidden, "session.step-up")
}

func TestActivationPassword_SignedOut(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN=3/h")
	c := e2etest.Program(t, app)
	c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`).Refused(http.StatusUnauthorized, "session.required")
	if c.Send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`).Want(http.StatusOK).Text("activationPassword") == "" {
		t.Error("no activation password")
	}
	for _, user := range []string{"alice", "nobody", "dave"} {
		body := `{"userID":"` + user + `@sandbox","staticPassword":"wrong"}`
		for range 3 {
			c.Send("POST", "/users/register", body).Refused(http.StatusConflict, "sign-in.refused")
		}
		c.Send("POST", "/users/register", body).Refused(http.StatusTooManyRequests, "request.rate")
	}
}

func orchestrationCommandsAreHexAndPassAsTheyAre(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	for body, pointer := range map[string]string{
		`{"command":"abc"}`: "/command", `{"command":"zz"}`: "/command", `{"command":"00","more":1}`: "/more",
	} {
		r := c.Send("POST", "/orchestration-commands", body).Refused(http.StatusBadRequest, "request.invalid")
		if got := e2etest.Pointers(t, r); got != pointer {
			t.Errorf("%s: pointers %q", body, got)
		}
	}
	limited := e2etest.Boot(t, "RATE_CEREMONY_ADDRESS=2/h")
	c = e2etest.Program(t, limited)
	for range 2 {
		c.Send("POST", "/orchestration-commands", `{"command":"00"}`)
	}
	c.Send("POST", "/orchestration-commands", `{"command":"00"}`).Refused(http.StatusTooManyRequests, "request.rate")
}

const (
	certificate = "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
	apkKeyHash  = "android:apk-key-hash:-sYXRdwJA3hvue3mKpYrOZ9zSPC7b4mbgzJmdZEDO5w"
)

func TestWellKnown_Responses(t *testing.T) {
	app := e2etest.Boot(t, "APPS_ANDROID=com.example.app="+certificate, "APPS_IOS=ABCDE12345.com.example.app",
		"RP_ORIGINS=http://localhost,https://cs.example", "CHANGE_PASSWORD_URL=https://accounts.example/password")
	c := e2etest.Program(t, app)
	for path, want := range map[string]string{
		"/.well-known/passkey-endpoints":          app.URL() + "/authenticators",
		"/.well-known/webauthn":                   `{"origins":["https://cs.example"]}`,
		"/.well-known/assetlinks.json":            certificate,
		"/.well-known/apple-app-site-association": `{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}`,
		"/uaf/facets":                             apkKeyHash,
	} {
		r := c.Send("GET", path, nil, "Accept", "text/html").Want(http.StatusOK)
		if !strings.Contains(string(r.Body), want) || strings.Contains(r.Header.Get("Content-Type"), "html") {
			t.Errorf("%s: %s %s", path, r.Header.Get("Content-Type"), r.Body)
		}
	}
	if r := c.Send("GET", "/.well-known/change-password", nil).Want(http.StatusFound); r.Header.Get("Location") != "https://accounts.example/password" {
		t.Errorf("change-password leads to %q", r.Header.Get("Location"))
	} else if len(r.Body) > 0 || r.Header.Get("Content-Type") != "" {
		t.Errorf("change-password says %s: %s", r.Header.Get("Content-Type"), r.Body)
	}
}

// A name without a domain means the signed-in person, not the one of that name in the
// platform's own domain; two domains are refused.
func anActivationPasswordIsForOnesOwnDomain(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "PUT", "/users/alice@elsewhere", map[string]any{"passKey": "Sandbox-1!"})
	c := e2etest.Program(t, app).SignedIn("alice@elsewhere")
	for _, body := range []string{`{"userID":"alice"}`, `{"userID":"alice","domain":"elsewhere"}`, `{"userID":"alice@elsewhere","domain":"elsewhere"}`} {
		password := c.Send("POST", "/users/register", body).Want(http.StatusOK).Text("activationPassword")
		c.Activate("alice@elsewhere", password, "android").Want(http.StatusOK)
	}
	c.Send("POST", "/users/register", `{"userID":"alice","domain":"sandbox"}`).Refused(http.StatusForbidden, "session.forbidden")
	for _, who := range []*e2etest.Client{c, e2etest.Program(t, app)} {
		r := who.Send("POST", "/users/register", `{"userID":"alice@elsewhere","domain":"sandbox","staticPassword":"Sandbox-1!"}`).Refused(http.StatusBadRequest, "request.invalid")
		if got := e2etest.Pointers(t, r); got != "/domain" {
			t.Errorf("pointers %q", got)
		}
	}
}

// Signed in, a person could guess a static password here as well: it counts as a sign-in
// attempt, and nothing else does.
func TestActivation_StaticPasswordGuessCounts(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN=3/h")
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	for _, user := range []string{`b\u0000ob`, "a b", strings.Repeat("a", 65)} {
		e2etest.Program(t, app).Send("POST", "/users/register", `{"userID":"`+user+`","staticPassword":"x"}`).Refused(http.StatusBadRequest, "request.invalid")
	}
	for range 5 {
		c.Send("POST", "/users/register", `{"userID":"alice","staticPassword":"Sandbox-1!"}`).Want(http.StatusOK)
	}
	for range 3 {
		c.Send("POST", "/users/register", `{"userID":"alice","staticPassword":"wrong"}`).Want(http.StatusConflict)
	}
	c.Send("POST", "/users/register", `{"userID":"alice","staticPassword":"Sandbox-1!"}`).Refused(http.StatusTooManyRequests, "request.rate")
	c.Send("POST", "/users/register", `{"userID":"alice"}`).Want(http.StatusOK)
}
