package signing_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

var onceToken = regexp.MustCompile(`name="once" value="([^"]+)"`)

// found lists the account's packages of a name and a type, as an operator finds them.
func found(t *testing.T, operator *e2etest.Client, kind, name string) (ids []string) {
	t.Helper()
	r := operator.Send("GET", "/api/packages?type="+kind+"&search="+url.QueryEscape(name), nil).Want(http.StatusOK)
	var list struct{ Results []struct{ ID, Name string } }
	if err := json.Unmarshal(r.Body, &list); err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Results {
		if one.Name == name {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// When an answer gets lost, of the platform to us or of ours to the browser, the same button
// pressed again leads to what was made, on the page that tells of it and after a reload; once
// that is there, it makes another.
func aLostAnswerMakesNoSecond(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	original := page(create(p.alice, lease("Original", "SENT", "bob@sandbox.example")))
	press := func(path, action, once string) e2etest.Reply {
		return p.alice.Post(path, "action", action, "once", once)
	}
	press(original, "template", "first").Want(http.StatusSeeOther)
	templates := found(t, p.carol, "TEMPLATE", "Original")
	if len(templates) != 1 {
		t.Fatalf("templates %v", templates)
	}
	for _, one := range []struct {
		path, shown, action string
		kind, name          string
		before              int
	}{
		{original, original, "copy", "PACKAGE", "Copy of Original", 0},
		{page(templates[0]), "/packages?tab=templates", "use", "PACKAGE", "Original", 1},
		{original, original, "template", "TEMPLATE", "Original", 1},
	} {
		onceOf := func(r e2etest.Reply) string {
			token := onceToken.FindStringSubmatch(string(r.Body))
			if token == nil {
				t.Fatalf("%s: no token: %d %s", one.action, r.Status, r.Body)
			}
			return token[1]
		}
		made := func(want int) {
			t.Helper()
			if ids := found(t, p.carol, one.kind, one.name); len(ids) != one.before+want {
				t.Errorf("%s: %d were made, want %d", one.action, len(ids)-one.before, want)
			}
		}
		loaded := onceOf(p.alice.Page(one.shown))
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "clonePackage", "cut": 0})
		shown := press(one.path, one.action, loaded)
		if shown.Status < 500 {
			t.Fatalf("%s: %d", one.action, shown.Status)
		}
		made(1)
		if kept := onceOf(p.alice.Page(one.shown)); onceOf(shown) != loaded || kept != loaded {
			t.Errorf("%s: after a lost answer %s became %s there and %s on the page", one.action, loaded, onceOf(shown), kept)
		}
		to := press(one.path, one.action, loaded).Want(http.StatusSeeOther).Header.Get("Location")
		if ids := found(t, p.carol, one.kind, one.name); !strings.HasPrefix(to, "/packages/new/"+url.PathEscape(ids[0])) && one.action != "template" {
			t.Errorf("%s leads to %s of %v", one.action, to, ids)
		}
		made(1)

		next := onceOf(p.alice.Page(one.shown))
		if next == loaded {
			t.Errorf("%s: the button would make nothing more", one.action)
		}
		p.withoutItsAnswer(app, one.path, url.Values{"action": {one.action}, "once": {next}})
		if again := onceOf(p.alice.Page(one.shown)); again != next {
			t.Errorf("%s: after an answer that did not arrive the page has %s, want %s", one.action, again, next)
		}
		press(one.path, one.action, next).Want(http.StatusSeeOther)
		made(2)
	}
	for _, id := range found(t, p.carol, "TEMPLATE", "Original") {
		lacks(t, p.alice.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK), "bob@", "Bob")
	}
}

// withoutItsAnswer has Alice's browser send a form whose answer it does not get.
func (p people) withoutItsAnswer(app *e2etest.App, path string, form url.Values) {
	p.alice.T.Helper()
	lost := e2etest.Browser(p.alice.T, app)
	at, err := url.Parse(app.URL() + path)
	if err != nil {
		p.alice.T.Fatal(err)
	}
	lost.HTTP.Jar.SetCookies(at, p.alice.HTTP.Jar.Cookies(at))
	form.Set("shown_to", p.alice.ShownTo())
	lost.Send("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").Want(http.StatusSeeOther)
}
