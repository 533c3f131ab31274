package accounts_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

const bob = "bob@sandbox"

// form is the form of a page, as it is sent by the page's button. The path is the page's.
type form struct {
	path   string
	files  bool // sent as forms with files are
	fields []string
}

// send sends the form with a value of shown_to; "" sends none.
func (f form) send(c *e2etest.Client, shownTo string) e2etest.Reply {
	c.T.Helper()
	fields := f.fields
	if shownTo != "" {
		fields = append([]string{"shown_to", shownTo}, fields...)
	}
	if !f.files {
		values := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			values.Add(fields[i], fields[i+1])
		}
		return c.Send("POST", f.path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	}
	return c.SendParts(f.path, fields...)
}

var heading = regexp.MustCompile(`<h1.*</h1>`)

const othersPage = "When this page was opened, another person was signed in"

// A form is carried out for the person whom its page was shown to and for nobody else, in
// whichever of their sessions.
func TestForm_BelongsToItsPerson(t *testing.T) {
	app := e2etest.Boot(t, "RATE_VERIFICATION=off", "RATE_LOOKUP=off", "IDV_SWEEP=1h")
	hers, his, operator := e2etest.Browser(t, app).SignedIn(alice), e2etest.Browser(t, app).SignedIn(bob), e2etest.Browser(t, app).SignedIn(carol)
	draft := his.Send("POST", "/api/packages", `{"name":"Lease"}`).Want(http.StatusOK).Text("id")
	check := his.Send("POST", "/api/transaction", `{"users":[{"first_name":"Ada","last_name":"Archer"}]}`).Want(http.StatusOK).Text("id")
	for _, f := range []form{
		{"/account", false, []string{"action", "language", "language", "de"}},
		{"/account", false, []string{"action", "activation-password"}},
		{"/authenticators", false, []string{"action", "end-others"}},
		{"/verifications/new", true, []string{"self", "no", "first_name", "Ada", "last_name", "Archer"}},
		{"/verifications/" + check, false, []string{"action", "cancel"}},
		{"/packages/new", true, []string{"name", "Lease", "recipients", "r1 ", "do", "save"}},
		{"/packages/new", false, []string{"name", "Lease", "recipients", "r1 ", "do", "save"}},
		{"/packages/new/" + draft, true, []string{"name", "Changed", "do", "save"}},
		{"/packages/" + draft, false, []string{"action", "template"}},
		{"/packages/delete?id=" + draft, false, []string{"id", draft}},
	} {
		refused(t, app, f, his, hers.ShownTo())
	}
	for _, f := range []form{
		{"/people/" + bob, false, []string{"action", "end-all", "reason", "a test"}},
		{"/custom-fields", false, []string{"action", "save", "id", "plant", "value", "North", "name", "Plant", "language", "en"}},
	} {
		refused(t, app, f, operator, hers.ShownTo())
	}
	for _, f := range []form{ // a field of another page's sign-out makes no form of it
		{"/authenticators", false, []string{"action", "sign-out"}},
		{"/packages/delete?id=" + draft, false, []string{"id", draft, "action", "sign-out"}},
		{"/packages/new/" + draft, false, []string{"name", "Changed", "do", "save", "action", "sign-out"}},
	} {
		refused(t, app, f, his, hers.ShownTo())
	}
	deed := hers.Send("POST", "/api/packages", `{"name":"Deed"}`).Want(http.StatusOK).Text("id")
	for _, path := range []string{"/packages/new/" + deed, "/packages/delete"} { // pages that are not his, or lead elsewhere
		r := form{path, false, []string{"id", draft, "do", "save"}}.send(his, hers.ShownTo())
		if r.Status != http.StatusConflict || !strings.Contains(string(r.Body), othersPage) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	anothers := e2etest.Browser(t, app).SignedIn(bob).ShownTo()
	form{"/account", false, []string{"action", "language", "language", "de"}}.send(his, anothers).Want(http.StatusSeeOther)
	form{"/verifications/new", true, []string{"self", "no", "first_name", "Ada", "last_name", "Archer"}}.send(his, anothers).Want(http.StatusSeeOther)
	if r := (form{"/packages/new", true, []string{"do", "save"}}).send(his, hers.ShownTo()); !strings.Contains(string(r.Body), "war eine andere Person angemeldet") {
		t.Errorf("in German: %s", r.Body)
	}
	form{"/account", false, []string{"action", "sign-out"}}.send(his, hers.ShownTo()).Want(http.StatusSeeOther)
	his.Page("/account").Want(http.StatusSeeOther)
}

// refused sends the form with what another person's page holds, without, and with forged
// values, all at once: each time the page is shown again, and nothing is done.
func refused(t *testing.T, app *e2etest.App, f form, c *e2etest.Client, anothers string) {
	t.Helper()
	own := c.ShownTo()
	forged := []string{anothers, anothers, "", own[:len(own)-1], own + "A", strings.ToUpper(own), "x"}
	before, page := changes(t, app), heading.FindString(string(c.Page(f.path).Want(http.StatusOK).Body))
	var all sync.WaitGroup
	places := make(chan struct{}, 3) // as many uploads as a person may have
	for _, value := range forged {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			r := f.send(c, value)
			if body := string(r.Body); r.Status != http.StatusConflict || !strings.Contains(body, othersPage) || heading.FindString(body) != page {
				t.Errorf("%s with %q: %d %s", f.path, value, r.Status, body)
			}
		})
	}
	all.Wait()
	if after := changes(t, app); !slices.Equal(before, after) {
		t.Errorf("%s: the platform was asked to %v", f.path, after[len(before):])
	}
	r := c.Send("POST", f.path, "a=b", "Content-Type", "application/x-www-form-urlencoded", "Accept", "application/json")
	r.Refused(http.StatusConflict, "session.other-person")
}

// changes returns the operations of the platform's journal that change something.
func changes(t *testing.T, app *e2etest.App) []string {
	t.Helper()
	return slices.DeleteFunc(e2etest.Journal(t, app), func(operation string) bool {
		for _, reads := range []string{"get", "list", "find", "download", "login", "authenticate", "retrieve"} {
			if strings.HasPrefix(operation, reads) {
				return true
			}
		}
		return false
	})
}

// What stands in front of the field, and where the body ends, changes nothing; a file that
// comes first hides the field, since no page sends it so.
func TestForm_PositionOfPersonField(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Browser(t, app).SignedIn(alice)
	part := func(head, text string) string {
		return "--x\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n"
	}
	person, file := part(`name="shown_to"`, c.ShownTo()), part(`name="files"; filename="a.txt"`, "text")
	typed := part(`name="name"`, "Lease") + part(`name="recipients"`, "r1 ") + part(`name="do"`, "save")
	for body, want := range map[string]int{
		person + typed + "--x--\r\n":                          http.StatusSeeOther,
		typed + person + "--x--\r\n":                          http.StatusSeeOther,
		typed + person + file + "--x--\r\n":                   http.StatusSeeOther,
		file + person + typed + "--x--\r\n":                   http.StatusConflict,
		part(`name="a"`, strings.Repeat("x", 2<<20)) + person: http.StatusConflict,
		person[:len(person)-10]:                               http.StatusConflict,
		"":                                                    http.StatusConflict,
	} {
		r := c.Send("POST", "/packages/new", body, "Content-Type", "multipart/form-data; boundary=x", "Accept", "text/html")
		if r.Status != want {
			t.Errorf("%.200q: %d, not %d", body, r.Status, want)
		}
	}
}
