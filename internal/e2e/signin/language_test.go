package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The chosen language outlives the session on that device, but not for clients without
// cookies.
func aChosenLanguageIsKept(t *testing.T, app *e2etest.App) {
	speaks := func(r e2etest.Reply, language string) {
		t.Helper()
		if !e2etest.Has(r.Body, `<html lang="`+language+`"`) {
			t.Errorf("not in %s: %.200s", language, r.Body)
		}
	}
	for name, choose := range map[string]func(*e2etest.Client){
		"by form": func(c *e2etest.Client) {
			c.Post("/account", "action", "language", "language", "de").Want(http.StatusSeeOther)
		},
		"by call": func(c *e2etest.Client) { c.Send("PATCH", "/session", `{"language":"de"}`).Want(http.StatusNoContent) },
	} {
		t.Run(name, func(t *testing.T) {
			c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
			speaks(c.Page("/account"), "en")
			choose(c)
			speaks(c.Page("/account"), "de")
			c.Post("/account", "action", "sign-out").Want(http.StatusSeeOther)
			speaks(c.Page("/login"), "de")
			speaks(c.Page("/errors/ceremony.spent"), "de")
			c.SignedIn("bob@sandbox")
			speaks(c.Page("/account"), "de")
			if language := c.Send("GET", "/session", nil).Want(http.StatusOK).Text("language"); language != "de" {
				t.Errorf("the session's is %s", language)
			}
			stray := e2etest.Program(t, app)
			stray.Header.Set("Cookie", e2etest.CookieOf(c))
			if detail := stray.Send("GET", "/session", nil, "Authorization", "Bearer x").Want(http.StatusUnauthorized).Text("detail"); strings.Contains(detail, "Sie") {
				t.Errorf("a program is told %q", detail)
			}
		})
	}
	phone := e2etest.Program(t, app).SignedIn("alice@sandbox")
	if r := phone.Send("PATCH", "/session", `{"language":"fr"}`).Want(http.StatusNoContent); r.Header.Get("Set-Cookie") != "" {
		t.Errorf("an app is given %s", r.Header.Get("Set-Cookie"))
	}
	c := e2etest.Browser(t, app)
	c.Header.Set("Cookie", "countersign-language=tlh-%00")
	speaks(c.Page("/login"), "en")
}
