package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// post sends a form of a page, as a browser without scripts does.
func (c *client) post(path string, fields ...string) reply {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return c.send("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
}

// page is a page as a browser asks for it.
func (c *client) page(path string) reply {
	c.t.Helper()
	return c.send("GET", path, nil, "Accept", "text/html")
}

// Both steps by forms and redirects alone: who signs in is never in an address,
// whoever it is, and in no log.
func TestTheStepsOfASignIn(t *testing.T) {
	var log lockedBuffer
	app := bootTo(t, &log)
	for _, user := range []string{"alice@sandbox", "nobody@nowhere"} {
		c := browser(t, app)
		on := c.post("/login", "step", "user", "user", user, "next", "/account?tab=1").want(http.StatusSeeOther)
		if got := on.header.Get("Location"); got != "/login?next=%2Faccount%3Ftab%3D1&step=password" {
			t.Errorf("%s: on to %s", user, got)
		}
		for range 2 { // loading again changes nothing
			second := c.page(on.header.Get("Location")).want(http.StatusOK)
			if !has(second.body, `name="step" value="password"`) || !has(second.body, `value="`+user+`"`) || !has(second.body, `value="/account?tab=1"`) {
				t.Errorf("%s: the second step is %s", user, second.body)
			}
		}
		if first := c.page("/login").want(http.StatusOK); has(first.body, user) {
			t.Errorf("%s: whoever begins anew is shown who was there", user)
		}
	}
	for line := range strings.SplitSeq(log.String(), "\n") {
		if strings.Contains(line, "nobody@nowhere") || strings.Contains(line, "nobody%40nowhere") {
			t.Errorf("the log knows who: %s", line)
		}
	}
	c := browser(t, app)
	c.post("/login", "step", "user", "user", "alice@sandbox")
	done := c.post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!", "next", "/account").want(http.StatusSeeOther)
	if got := done.header.Get("Location"); got != "/account" {
		t.Errorf("signed in, on to %s", got)
	}
	c.post("/account", "action", "sign-out").want(http.StatusSeeOther)
	if again := c.page("/login?step=password").want(http.StatusOK); has(again.body, "alice@sandbox") {
		t.Error("after the sign-in its name is still there")
	}
}

// Between the steps the name is in a cookie, for this site and no script; one
// that holds something else counts for nothing.
func TestTheNameBetweenTheSteps(t *testing.T) {
	c := browser(t, boot(t))
	cookie := c.post("/login", "step", "user", "user", "alice@sandbox").want(http.StatusSeeOther).header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=600"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie lacks %s: %s", part, cookie)
		}
	}
	name, _, _ := strings.Cut(cookie, "=")
	stranger := browser(t, c.app)
	for _, value := range []string{"", "alice", "<b>@sandbox", "alice@sandbox,bob@sandbox", strings.Repeat("a", 200)} {
		shown := stranger.send("GET", "/login?step=password", nil, "Accept", "text/html", "Cookie", name+"="+value).want(http.StatusOK)
		if !has(shown.body, `name="step" value="user"`) {
			t.Errorf("%q counts as a name", value)
		}
	}
}

// A name that is told with consent is kept for next time, in place of the other
// cookie; who was remembered does not come between two steps of another.
func TestTheNameOfThisTimeGoesFirst(t *testing.T) {
	c := browser(t, boot(t))
	kept := c.post("/login", "step", "user", "user", "alice@sandbox", "remember", "yes").want(http.StatusSeeOther)
	if got := kept.header.Get("Location"); got != "/login?next=%2F" {
		t.Errorf("remembered, on to %s", got)
	}
	if !has(c.page("/login").body, "alice@sandbox") {
		t.Error("not remembered")
	}
	on := c.post("/login", "step", "user", "user", "bob@sandbox").want(http.StatusSeeOther)
	if second := c.page(on.header.Get("Location")).want(http.StatusOK); !has(second.body, "bob@sandbox") || has(second.body, "alice@sandbox") {
		t.Error("the second step is about somebody else")
	}
}

// Whoever is sent to sign in again is not sent back at once, though they signed
// in a moment ago: nothing would have changed.
func TestSigningInAgainIsNoCircle(t *testing.T) {
	c := browser(t, boot(t)).signedIn("alice@sandbox")
	c.page("/login?next=/account").want(http.StatusSeeOther)
	if again := c.page("/login?again=yes&next=/account").want(http.StatusOK); !has(again.body, "alice@sandbox") || !has(again.body, `value="/account"`) {
		t.Errorf("signing in again is %s", again.body)
	}
	c.post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!", "next", "/account").want(http.StatusSeeOther)
}
