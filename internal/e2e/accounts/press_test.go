package accounts_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// pressOf returns what the forms of a page send with the press of a button.
func pressOf(page e2etest.Reply) string {
	_, after, _ := strings.Cut(string(page.Want(http.StatusOK).Body), `name="press" value="`)
	press, _, _ := strings.Cut(after, `"`)
	return press
}

// Each button does its work once for one press, however many requests of it come at once or
// one after the other, and all of them get the same answer. The next press is another one.
func TestButton_SamePressCountsOnce(t *testing.T) {
	app := e2etest.Boot(t, "RATE_LOOKUP=off", "IDV_SWEEP=1h")
	his, operator := e2etest.Browser(t, app).SignedIn(bob), e2etest.Browser(t, app).SignedIn(carol)
	field := []string{"id", "plant", "value", "North", "name", "Plant", "language", "en"}
	draft := his.Send("POST", "/api/packages", `{"name":"Lease"}`).Want(http.StatusOK).Text("id")
	check := func() string {
		return his.Send("POST", "/api/transaction", `{"users":[{"first_name":"Ada","last_name":"Archer"}]}`).Want(http.StatusOK).Text("id")
	}
	linked, cancelled, told := check(), check(), check()
	for _, press := range []struct {
		c         *e2etest.Client
		page      string
		fields    []string
		operation string
		status    int
	}{
		{his, "/account", []string{"action", "activation-password"}, "registerUser", http.StatusOK},
		{his, "/packages/delete?id=" + draft, []string{"id", draft}, "deletePackage", http.StatusSeeOther},
		{his, "/verifications/" + linked, []string{"action", "link"}, "createSessionToken", http.StatusOK},
		{his, "/verifications/" + told, []string{"action", "audit-trail"}, "generateAuditTrail", http.StatusSeeOther},
		{his, "/verifications/" + cancelled, []string{"action", "cancel"}, "cancelTransaction", http.StatusSeeOther},
		{operator, "/custom-fields?new=yes", append([]string{"action", "save"}, field...), "createCustomField", http.StatusSeeOther},
		{operator, "/custom-fields?delete=plant", []string{"action", "delete", "id", "plant"}, "deleteCustomField", http.StatusSeeOther},
	} {
		fields := append([]string{"press", pressOf(press.c.Page(press.page))}, press.fields...)
		path, _, _ := strings.Cut(press.page, "?")
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		answers := make([]e2etest.Reply, 5)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() { answers[i] = press.c.Post(path, fields...) })
		}
		all.Wait()
		answers[4] = press.c.Post(path, fields...)
		for _, r := range answers {
			if r.Status != press.status || string(r.Body) != string(answers[0].Body) || r.Header.Get("Location") != answers[0].Header.Get("Location") {
				t.Errorf("%s %q: %d %s, %s", press.page, press.fields, r.Status, r.Header.Get("Location"), r.Body)
			}
		}
		if got := slices.DeleteFunc(e2etest.Journal(t, app), func(o string) bool { return o != press.operation }); len(got) != 1 {
			t.Errorf("%s %q: %v", press.page, press.fields, e2etest.Journal(t, app))
		}
	}
	first, next := pressOf(his.Page("/account")), pressOf(his.Page("/account"))
	if a, b := his.Post("/account", "action", "activation-password", "press", first), his.Post("/account", "action", "activation-password", "press", next); string(a.Body) == string(b.Body) {
		t.Error("the next press is the same")
	}
}

// Two clicks with a wrong password are one try, and two with the right one begin one session:
// a password that the platform takes once would be refused at the second.
func TestSignIn_SamePressCountsOnce(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Browser(t, app)
	c.Post("/login", "step", "user", "user", bob).Want(http.StatusSeeOther)
	for _, try := range []struct {
		password string
		want     int
	}{{"not this one", http.StatusConflict}, {"Sandbox-1!", http.StatusSeeOther}} {
		fields := []string{"step", "password", "user", bob, "password", try.password, "press", pressOf(c.Page("/login?step=password"))}
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		cookies := map[string]bool{}
		for range 2 {
			r := c.Post("/login", fields...).Want(try.want)
			cookies[strings.Join(r.Header.Values("Set-Cookie"), "\n")] = true
		}
		if got := e2etest.Journal(t, app); got[0] != "login" || slices.Contains(got[1:], "login") || len(cookies) != 1 {
			t.Errorf("%s: %v, %v", try.password, got, cookies)
		}
	}
}
