package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

var shownPassword = regexp.MustCompile(`<span>(\d{5})</span><span>(\d{5})</span>`)

// activationPassword is what the page of the account shows.
func (r reply) activationPassword() string {
	r.t.Helper()
	groups := shownPassword.FindSubmatch(r.want(http.StatusOK).body)
	if groups == nil {
		r.t.Fatalf("no activation password on: %s", r.body)
	}
	return string(groups[1]) + string(groups[2])
}

// The form of the page asks as an app does, for whoever is signed in and no one
// else; what it brings is on that page, once, and nowhere else.
func TestAnActivationPasswordByForm(t *testing.T) {
	var log lockedBuffer
	app := bootTo(t, &log)
	c, phone := browser(t, app).signedIn("bob@sandbox"), program(t, app)
	old := program(t, app).signedIn("bob@sandbox").askFor("bob@sandbox").want(http.StatusOK).text("activationPassword")
	shown := c.post("/account", "action", "activation-password", "userID", "alice@sandbox", "domain", "elsewhere")
	password := shown.activationPassword()
	if got := shown.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	for name, values := range shown.header {
		if strings.Contains(strings.Join(values, ""), password) {
			t.Errorf("it is in %s", name)
		}
	}
	if next := c.page("/account").want(http.StatusOK); shownPassword.Match(next.body) {
		t.Error("the page still shows one")
	}
	phone.activate("bob@sandbox", old, "ios").refused(http.StatusConflict, "orchestration.activation-outdated")
	phone.activate("bob@sandbox", password, "ios").want(http.StatusOK)
	if strings.Contains(log.String(), password) {
		t.Error("it is in the log")
	}
	browser(t, app).post("/account", "action", "activation-password").want(http.StatusSeeOther)
}

func TestAnActivationPasswordNeedsARecentSignIn(t *testing.T) {
	app, clock := bootWithClock(t)
	c := browser(t, app).signedIn("bob@sandbox")
	clock.advance(11 * time.Minute)
	again := c.post("/account", "action", "activation-password").want(http.StatusSeeOther)
	if got := again.header.Get("Location"); got != "/login?next=%2Faccount%23phone" {
		t.Errorf("leads to %s", got)
	}
	on := c.post("/login", "step", "password", "user", "bob@sandbox", "password", "Sandbox-1!", "next", "/account#phone").want(http.StatusSeeOther)
	if got := on.header.Get("Location"); got != "/account#phone" {
		t.Errorf("and on to %s", got)
	}
	c.post("/account", "action", "activation-password").activationPassword()
}

func TestActivationPasswordsByFormAreLimited(t *testing.T) {
	c := browser(t, boot(t, "RATE_CEREMONY=1/m")).signedIn("bob@sandbox")
	c.post("/account", "action", "activation-password").activationPassword()
	refused := c.post("/account", "action", "activation-password").want(http.StatusTooManyRequests)
	if refused.header.Get("Retry-After") == "" || !has(refused.body, "Too many tries") {
		t.Errorf("refused with %v: %s", refused.header, refused.body)
	}
}

// Once the platform has made one, and so taken the one before away, it is shown,
// whatever Redis does.
func TestAnActivationPasswordIsNotLostOnTheWay(t *testing.T) {
	line := newRedisLine(t, miniredis.RunT(t).Addr())
	app := boot(t, append(limitsOn, "REDIS_URL="+line.url())...)
	c := browser(t, app).signedIn("bob@sandbox")
	for passed := range 20 {
		manage(t, app, "DELETE", "/journal", nil)
		line.breakAfter(passed, breakage{})
		r := c.post("/account", "action", "activation-password")
		broken := line.mend()
		if made, shown := slices.Contains(journal(t, app), "registerUser"), shownPassword.Match(r.body); made != shown {
			t.Errorf("after %d commands: made %v, shown %v: %d %s", passed, made, shown, r.status, r.body)
		}
		if !broken {
			return
		}
		c.whenBack().want(http.StatusOK)
	}
	t.Error("it asks Redis without end")
}
