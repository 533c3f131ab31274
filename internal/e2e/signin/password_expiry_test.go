package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// An expired password is not a dead end: a person who knows it is led to changing it, by
// a program's refusal and on the page, and an installation may turn that off.
func TestSignIn_ExpiredPassword(t *testing.T) {
	const (
		expired  = "Your password has expired and can no longer be used."
		login    = "/users/frank@sandbox/login"
		register = `{"userID":"frank@sandbox","staticPassword":"Sandbox-1!"}`
	)
	app := e2etest.Boot(t, "CHANGE_PASSWORD_URL=https://accounts.example/password", "HELP_URL=https://accounts.example/help")
	c, b := e2etest.Program(t, app), e2etest.Browser(t, app)
	for path, body := range map[string]string{login: e2etest.RightPassword, "/users/register": register} {
		if r := c.Send("POST", path, body).Refused(http.StatusConflict, "sign-in.refused").Action("change-password"); !strings.Contains(r.Text("detail"), expired) {
			t.Errorf("%s: %s", path, r.Body)
		}
		c.Send("POST", path, strings.Replace(body, "Sandbox", "sandbox", 1)).Refused(http.StatusConflict, "sign-in.refused").Action("sign-in")
	}
	page := b.Post("/login", "step", "password", "user", "frank@sandbox", "password", "Sandbox-1!").Want(http.StatusConflict)
	for _, part := range []string{expired, `href="/.well-known/change-password"`, `href="https://accounts.example/help"`, "Cannot sign in?"} {
		if !e2etest.Has(page.Body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	wrong := b.Post("/login", "step", "password", "user", "frank@sandbox", "password", "not it").Want(http.StatusConflict)
	if e2etest.Has(wrong.Body, expired) || !e2etest.Has(wrong.Body, "These details do not let you sign in.") {
		t.Error("a wrong password is told of otherwise than in any account")
	}

	silent := e2etest.Boot(t, "REVEAL_PASSWORD_EXPIRED=false")
	c = e2etest.Program(t, silent)
	c.Send("POST", login, e2etest.RightPassword).Refused(http.StatusConflict, "sign-in.refused").Action("sign-in")
	c.Send("POST", "/users/register", register).Refused(http.StatusConflict, "sign-in.refused").Action("sign-in")
	if page := e2etest.Browser(t, silent).Page("/login").Want(http.StatusOK); e2etest.Has(page.Body, "Cannot sign in?") {
		t.Error("help is offered that nobody gives")
	}
}
