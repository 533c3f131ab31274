package accounts_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

var shownPassword = regexp.MustCompile(`<span>(\d{5})</span><span>(\d{5})</span>`)

// activationPassword returns the password on the account page.
func activationPassword(r e2etest.Reply) string {
	r.T.Helper()
	groups := shownPassword.FindSubmatch(r.Want(http.StatusOK).Body)
	if groups == nil {
		r.T.Fatalf("no activation password on: %s", r.Body)
	}
	return string(groups[1]) + string(groups[2])
}

// The page's form requests a password like an app, only for the signed-in person; the
// password is on that page, once, and nowhere else.
func TestActivationPassword_Form(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	c, phone := e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Program(t, app)
	old := e2etest.Program(t, app).SignedIn("bob@sandbox").AskFor("bob@sandbox").Want(http.StatusOK).Text("activationPassword")
	shown := c.Post("/account", "action", "activation-password", "userID", "alice@sandbox", "domain", "elsewhere")
	password := activationPassword(shown)
	if got := shown.Header.Get("Cache-Control"); got != "no-store, no-transform" {
		t.Errorf("Cache-Control is %q", got)
	}
	for name, values := range shown.Header {
		if strings.Contains(strings.Join(values, ""), password) {
			t.Errorf("it is in %s", name)
		}
	}
	if next := c.Page("/account").Want(http.StatusOK); shownPassword.Match(next.Body) {
		t.Error("the page still shows one")
	}
	phone.Activate("bob@sandbox", old, "ios").Refused(http.StatusConflict, "activation.refused")
	phone.Activate("bob@sandbox", password, "ios").Want(http.StatusOK)
	if strings.Contains(log.String(), password) {
		t.Error("it is in the log")
	}
	e2etest.Browser(t, app).Post("/account", "action", "activation-password").Want(http.StatusSeeOther)
}

func TestActivationPassword_NeedsRecentSignIn(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	c := e2etest.Browser(t, app).SignedIn("bob@sandbox")
	clock.Advance(11 * time.Minute)
	again := c.Post("/account", "action", "activation-password").Want(http.StatusSeeOther)
	if got := again.Header.Get("Location"); got != "/login?next=%2Faccount%23phone" {
		t.Errorf("leads to %s", got)
	}
	on := c.Post("/login", "step", "password", "user", "bob@sandbox", "password", "Sandbox-1!", "next", "/account#phone").Want(http.StatusSeeOther)
	if got := on.Header.Get("Location"); got != "/account#phone" {
		t.Errorf("and on to %s", got)
	}
	activationPassword(c.Post("/account", "action", "activation-password"))
}

func TestActivationPassword_FormLimited(t *testing.T) {
	c := e2etest.Browser(t, e2etest.Boot(t, "RATE_CEREMONY=1/h")).SignedIn("bob@sandbox")
	activationPassword(c.Post("/account", "action", "activation-password"))
	refused := c.Post("/account", "action", "activation-password").Want(http.StatusTooManyRequests)
	if refused.Header.Get("Retry-After") == "" || !e2etest.Has(refused.Body, "Too many tries") {
		t.Errorf("refused with %v: %s", refused.Header, refused.Body)
	}
}

// Once the platform has made a password, and so replaced the earlier one, it is shown,
// whatever Redis does.
func TestActivationPassword_ShownDuringRedisOutage(t *testing.T) {
	line := e2etest.NewRedisLine(t, miniredis.RunT(t).Addr())
	app := e2etest.BootPatiently(t, append(e2etest.LimitsOn, "REDIS_URL="+line.URL())...)
	c := e2etest.Browser(t, app).SignedIn("bob@sandbox")
	for passed := range 20 {
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		line.BreakAfter(passed, e2etest.Breakage{})
		r := c.Post("/account", "action", "activation-password")
		broken := line.Mend()
		if made, shown := slices.Contains(e2etest.Journal(t, app), "registerUser"), shownPassword.Match(r.Body); made != shown {
			t.Errorf("after %d commands: made %v, shown %v: %d %s", passed, made, shown, r.Status, r.Body)
		}
		if !broken {
			return
		}
		c.WhenBack().Want(http.StatusOK)
	}
	t.Error("it asks Redis without end")
}

// How an activation stands is told to its person alone: to programs, and on the page without
// scripts.
func TestActivation_Progress(t *testing.T) {
	app := e2etest.Boot(t)
	c, phone := e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Program(t, app)
	status := func(want string) {
		t.Helper()
		e2etest.Eventually(t, "the activation is "+want, func() bool {
			return c.Send("GET", "/users/me/activation", nil).Want(http.StatusOK).Text("activationStatus") == want
		})
	}
	status("unknown")
	e2etest.SaysNone(t, c.Page("/account"), "No activation is under way.")
	password := activationPassword(c.Post("/account", "action", "activation-password"))
	status("pending")
	e2etest.Says(t, c.Page("/account?activation=progress"), "Waiting for your phone", "See whether it has worked")
	phone.Activate("bob@sandbox", password, "ios").Want(http.StatusOK)
	status("activated")
	e2etest.Says(t, c.Page("/account?activation=progress"), "Your phone is activated.")
	e2etest.Eventually(t, "the last answer is forgotten", func() bool {
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "checkActivationStatus", "status": http.StatusConflict})
		return c.Send("GET", "/users/me/activation", nil).Status != http.StatusOK
	})
	e2etest.Says(t, c.Page("/account?activation=progress").Want(http.StatusOK), "is not available at the moment")
	c.Send("GET", "/users/alice@sandbox/activation", nil).Refused(http.StatusForbidden, "session.forbidden")
	phone.Send("GET", "/users/bob@sandbox/activation", nil).Refused(http.StatusUnauthorized, "session.required")
}
