package main

import (
	"net/http"
	"strings"
	"testing"
)

// The language that somebody chose outlives their session on that device, and
// reaches nobody who carries no cookies.
func TestAChosenLanguageIsKept(t *testing.T) {
	app := boot(t)
	speaks := func(r reply, language string) {
		t.Helper()
		if !has(r.body, `<html lang="`+language+`"`) {
			t.Errorf("not in %s: %.200s", language, r.body)
		}
	}
	for name, choose := range map[string]func(*client){
		"by form": func(c *client) {
			c.post("/account", "action", "language", "language", "de").want(http.StatusSeeOther)
		},
		"by call": func(c *client) { c.send("PATCH", "/session", `{"language":"de"}`).want(http.StatusNoContent) },
	} {
		t.Run(name, func(t *testing.T) {
			c := browser(t, app).signedIn("alice@sandbox")
			speaks(c.page("/account"), "en")
			choose(c)
			speaks(c.page("/account"), "de")
			c.post("/account", "action", "sign-out").want(http.StatusSeeOther)
			speaks(c.page("/login"), "de")
			speaks(c.page("/errors/ceremony.spent"), "de")
			c.signedIn("bob@sandbox")
			speaks(c.page("/account"), "de")
			if language := c.send("GET", "/session", nil).want(http.StatusOK).text("language"); language != "de" {
				t.Errorf("the session's is %s", language)
			}
			stray := program(t, app)
			stray.header.Set("Cookie", cookieOf(c))
			if detail := stray.send("GET", "/session", nil, "Authorization", "Bearer x").want(http.StatusUnauthorized).text("detail"); strings.Contains(detail, "Sie") {
				t.Errorf("a program is told %q", detail)
			}
		})
	}
	phone := program(t, app).signedIn("alice@sandbox")
	if r := phone.send("PATCH", "/session", `{"language":"fr"}`).want(http.StatusNoContent); r.header.Get("Set-Cookie") != "" {
		t.Errorf("an app is given %s", r.header.Get("Set-Cookie"))
	}
	c := browser(t, app)
	c.header.Set("Cookie", "countersign-language=tlh-%00")
	speaks(c.page("/login"), "en")
}
