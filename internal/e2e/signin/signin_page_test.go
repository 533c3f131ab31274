package signin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

func TestSignInPage(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), aNameWithoutADomain, aNameAsItIsPasted, theNameBetweenTheSteps, theNameOfThisTimeGoesFirst, aPasskeyIsOfferedToWhoHasOne,
		signingInAgainIsNoCircle, whyOneIsHere, theLanguageIsChosenBefore, aChosenLanguageIsKept,
	)
}

// Both steps by forms and redirects alone: the user is never in an address or in a log.
func TestSignInPage_StepsByForms(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	for _, user := range []string{"alice@sandbox", "nobody@nowhere"} {
		c := e2etest.Browser(t, app)
		on := c.Post("/login", "step", "user", "user", user, "next", "/account?tab=1").Want(http.StatusSeeOther)
		if got := on.Header.Get("Location"); got != "/login?next=%2Faccount%3Ftab%3D1&step=password" {
			t.Errorf("%s: on to %s", user, got)
		}
		for range 2 { // loading again changes nothing
			second := c.Page(on.Header.Get("Location")).Want(http.StatusOK)
			if !e2etest.Has(second.Body, `name="step" value="password"`) || !e2etest.Has(second.Body, `value="`+user+`"`) || !e2etest.Has(second.Body, `value="/account?tab=1"`) {
				t.Errorf("%s: the second step is %s", user, second.Body)
			}
		}
		if first := c.Page("/login").Want(http.StatusOK); e2etest.Has(first.Body, user) {
			t.Errorf("%s: a person who starts again is shown who was there", user)
		}
	}
	for line := range strings.SplitSeq(log.String(), "\n") {
		if strings.Contains(line, "nobody@nowhere") || strings.Contains(line, "nobody%40nowhere") {
			t.Errorf("the log knows who: %s", line)
		}
	}
	c := e2etest.Browser(t, app)
	c.Post("/login", "step", "user", "user", "alice@sandbox")
	e2etest.Untouched(c.T, app, func() { // no platform takes a longer one
		c.Post("/login", "step", "password", "user", "alice@sandbox", "password", strings.Repeat("é", 256)).Want(http.StatusBadRequest)
	})
	done := c.Post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!", "next", "/account").Want(http.StatusSeeOther)
	if got := done.Header.Get("Location"); got != "/account" {
		t.Errorf("signed in, on to %s", got)
	}
	c.Post("/account", "action", "sign-out").Want(http.StatusSeeOther)
	if again := c.Page("/login?step=password").Want(http.StatusOK); e2etest.Has(again.Body, "alice@sandbox") {
		t.Error("after the sign-in its name is still there")
	}
}

// What nobody sees in a pasted name changes nothing, at both steps. A program's is refused.
func aNameAsItIsPasted(t *testing.T, app *e2etest.App) {
	for _, pasted := range []string{
		"\ufeffalice@sandbox", "alice@sandbox\u200b", "ali\u00adce\u200d@\u2060sandbox", "\u202aalice@sandbox\u202c", " \u200ealice@sandbox\u00a0\u200f",
	} {
		c := e2etest.Browser(t, app)
		on := c.Post("/login", "step", "user", "user", pasted).Want(http.StatusSeeOther)
		if second := c.Page(on.Header.Get("Location")).Want(http.StatusOK); !e2etest.Has(second.Body, `value="alice@sandbox"`) {
			t.Errorf("%q: the second step is %s", pasted, second.Body)
		}
		c.Post("/login", "step", "password", "user", pasted, "password", "Sandbox-1!").Want(http.StatusSeeOther)
		e2etest.Program(t, app).Send("POST", "/users/"+url.PathEscape(pasted)+"/login", `{}`).Refused(http.StatusNotFound, "request.not-found")
	}
}

// A name without a domain gets a clear error, on the page and in a program's call, even
// in the platform's spelling of the member.
func aNameWithoutADomain(t *testing.T, app *e2etest.App) {
	const missing = "The domain is missing. A user name looks like name@domain."
	b := e2etest.Browser(t, app)
	for name, told := range map[string]bool{"alice": true, " alice ": true, "alice@": false, "": false} {
		if page := b.Post("/login", "step", "user", "user", name).Want(http.StatusBadRequest); e2etest.Has(page.Body, missing) != told {
			t.Errorf("%q: %s", name, page.Body)
		}
	}
	r := e2etest.Program(t, app).Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":7}}`).Refused(http.StatusBadRequest, "request.invalid")
	if !e2etest.Has(r.Body, `"validationErrors":[{"field":"credentials.passKey","message":"/credentials/passKey: `) {
		t.Errorf("%s", r.Body)
	}
}

// Between the steps the name is in a cookie, for this site and not for scripts; a cookie
// with another content is ignored.
func theNameBetweenTheSteps(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	cookie := c.Post("/login", "step", "user", "user", "alice@sandbox").Want(http.StatusSeeOther).Header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=600"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie lacks %s: %s", part, cookie)
		}
	}
	name, _, _ := strings.Cut(cookie, "=")
	signedOut := e2etest.Browser(t, c.App)
	for _, value := range []string{"", "alice", "<b>@sandbox", "alice@sandbox,bob@sandbox", strings.Repeat("a", 200)} {
		shown := signedOut.Send("GET", "/login?step=password", nil, "Accept", "text/html", "Cookie", name+"="+value).Want(http.StatusOK)
		if !e2etest.Has(shown.Body, `name="step" value="user"`) {
			t.Errorf("%q counts as a name", value)
		}
	}
}

// With consent the name is kept for next time, instead of the other cookie; a remembered
// name does not disturb another person's two steps.
func theNameOfThisTimeGoesFirst(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	kept := c.Post("/login", "step", "user", "user", "alice@sandbox", "remember", "yes").Want(http.StatusSeeOther)
	if got := kept.Header.Get("Location"); got != "/login?next=%2F" {
		t.Errorf("remembered, on to %s", got)
	}
	if !e2etest.Has(c.Page("/login").Body, "alice@sandbox") {
		t.Error("not remembered")
	}
	on := c.Post("/login", "step", "user", "user", "bob@sandbox").Want(http.StatusSeeOther)
	if second := c.Page(on.Header.Get("Location")).Want(http.StatusOK); !e2etest.Has(second.Body, "bob@sandbox") || e2etest.Has(second.Body, "alice@sandbox") {
		t.Error("the second step is about somebody else")
	}
}

// A signed-in person without a passkey is not offered to use one; anybody else's page
// reveals nothing about theirs.
func aPasskeyIsOfferedToWhoHasOne(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	const script, again = "/signin.", "/login?again=yes"
	refused := func() e2etest.Reply {
		return c.Post("/login", "step", "password", "user", "alice@sandbox", "password", "wrong").Want(http.StatusConflict)
	}
	for _, page := range []e2etest.Reply{c.Page(again).Want(http.StatusOK), refused()} {
		if e2etest.Has(page.Body, script) || e2etest.Has(page.Body, "Sign in with a passkey") {
			t.Errorf("a passkey is offered to who has none: %s", page.Body)
		}
	}
	outsider := e2etest.Browser(t, app)
	to := outsider.Post("/login", "step", "user", "user", "alice@sandbox").Want(http.StatusSeeOther).Header.Get("Location")
	pages := map[string]e2etest.Reply{"an outsider": outsider.Page(to).Want(http.StatusOK)}
	c.Register(e2etest.NewPasskey(app))
	pages["who has one"], pages["after a wrong password"] = c.Page(again).Want(http.StatusOK), refused()
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "listFidoRegistrations", "status": 503, "times": 0})
	pages["nobody knows"] = c.Page(again).Want(http.StatusOK)
	for who, page := range pages {
		if !e2etest.Has(page.Body, script) || !e2etest.Has(page.Body, "Sign in with a passkey") {
			t.Errorf("no passkey is offered to %s: %s", who, page.Body)
		}
	}
}

// A person sent to sign in again is not sent back at once, although they signed in a
// moment ago, because nothing would have changed.
func signingInAgainIsNoCircle(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	c.Page("/login?next=/account").Want(http.StatusSeeOther)
	if again := c.Page("/login?again=yes&next=/account").Want(http.StatusOK); !e2etest.Has(again.Body, "alice@sandbox") || !e2etest.Has(again.Body, `value="/account"`) {
		t.Errorf("signing in again is %s", again.Body)
	}
	c.Post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!", "next", "/account").Want(http.StatusSeeOther)
}

// A person led here because their session ended is told so; others are not. The cookie
// stays, since another tab may have a newer one by now.
func whyOneIsHere(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	const over = "Your session has ended. Sign in to go on."
	if page := c.Page("/login?next=/account"); e2etest.Has(page.Body, over) {
		t.Error("told to somebody who had none")
	}
	dead := []string{"Accept", "text/html", "Cookie", "countersign=" + strings.Repeat("A", 43)}
	if page := c.Send("GET", "/login", nil, dead...); e2etest.Has(page.Body, over) || page.Header.Get("Set-Cookie") != "" {
		t.Errorf("told to somebody who comes by themselves, or changed: %q", page.Header.Values("Set-Cookie"))
	}
	page := c.Send("GET", "/login?next=/account", nil, dead...).Want(http.StatusOK)
	if !e2etest.Has(page.Body, over) || page.Header.Get("Set-Cookie") != "" {
		t.Errorf("not told, or changed: %q %s", page.Header.Values("Set-Cookie"), page.Body)
	}
}

// The language is chosen before signing in, on the same site alone, and stays the
// device's.
func theLanguageIsChosenBefore(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	for next, want := range map[string]string{"/login?next=%2Faccount&step=password": "/login?next=%2Faccount&step=password", "https://evil.example/": "/", "//evil.example": "/"} {
		if got := c.Post("/login", "step", "language", "language", "de", "next", next).Want(http.StatusSeeOther).Header.Get("Location"); got != want {
			t.Errorf("%s leads to %s", next, got)
		}
	}
	if page := c.Page("/login").Want(http.StatusOK); !e2etest.Has(page.Body, `<html lang="de">`) || !e2etest.Has(page.Body, `value="de" lang="de" aria-current="true"`) {
		t.Errorf("not in German: %s", page.Body)
	}
	c.Post("/login", "step", "language", "language", "tlh").Want(http.StatusBadRequest)
	if page := c.SignedIn("alice@sandbox").Page("/account").Want(http.StatusOK); !e2etest.Has(page.Body, `<html lang="de">`) {
		t.Error("signed in, the language is another")
	}
}
