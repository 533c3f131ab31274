package compose_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// small is a form of a few inputs: the address of its page, the typed values, and a text
// of the restored page.
type small struct {
	user, page string
	typed      url.Values
	holds      []string
}

var ticketInput = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

// leave sends the form without a session, with its page's ticket, and returns the address
// of the redirect.
func (f small) leave(t *testing.T, c *e2etest.Client) string {
	t.Helper()
	page := c.Page(f.page).Want(http.StatusOK)
	ticket := ticketInput.FindSubmatch(page.Body)
	if ticket == nil {
		t.Fatalf("%s has no ticket: %s", f.page, page.Body)
	}
	f.typed.Set("ticket", string(ticket[1]))
	c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	return f.send(t, c)
}

func (f small) send(t *testing.T, c *e2etest.Client) string {
	t.Helper()
	sent := c.Send("POST", f.page, f.typed.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	to, err := url.Parse(sent.Want(http.StatusSeeOther).Header.Get("Location"))
	if err != nil || to.Path != "/login" {
		t.Fatalf("%s leads to %s, %v", f.page, to, err)
	}
	return to.Query().Get("next")
}

const notDone = "so this was not done. Please do it once more."

// buttonsAlone checks that a page whose button was pressed after the session had ended says
// that nothing was done, and that signing out needs no session.
func buttonsAlone(t *testing.T, app *e2etest.App, at string) {
	t.Helper()
	for _, action := range []string{"remind", "template"} {
		next := small{page: at, typed: url.Values{"action": {action}}}.send(t, e2etest.Browser(t, app))
		if body := string(e2etest.Browser(t, app).SignedIn("alice@sandbox").Page(next).Want(http.StatusOK).Body); !strings.Contains(body, notDone) {
			t.Errorf("after %s, %s does not say that it was not done", action, next)
		}
	}
	if next := (small{page: "/account", typed: url.Values{"action": {"sign-out"}}}).send(t, e2etest.Browser(t, app)); next != "/account" {
		t.Errorf("signing out once more leads to %s", next)
	}
}

// smallForms checks that small forms, too, are restored after their person has signed in
// again, and for nobody else.
func smallForms(t *testing.T, app *e2etest.App) {
	p := open(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"), "/packages/new").set("name", "Sent").set(firstIsAlice...)
	p.set("r1.email", "bob@sandbox.example").choose("lease.pdf", document("Lease")).follow("add-files")
	p.follow("add-field").press("send").Want(http.StatusSeeOther)
	at := "/packages/" + p.id()
	buttonsAlone(t, app, at)
	role := regexp.MustCompile(`"[^"]+/recipients/[^"]+"`).FindString(string(p.client.Page(at).Body))
	for _, form := range []small{
		{"alice@sandbox", "/packages/new", url.Values{"name": {"Plain"}, "recipients": {"r1"}, "r1.first_name": {"Robert"}, "r1.last_name": {""}, "r1.email": {"robert@"}, "do": {"keep"}}, []string{`value="Plain"`, `value="Robert"`}},
		{"alice@sandbox", at + "?ask=cancel", url.Values{"action": {"cancel"}, "reason": {"The mill\nis sold."}}, []string{"The mill\nis sold.</textarea>", ">Go back<", notDone}},
		{"alice@sandbox", "/account", url.Values{"action": {"mails"}, "notices": {"ja"}}, []string{`<option value="ja" lang="ja" selected>`, `name="packages" type="checkbox" value="yes">`, notDone}},
		{"alice@sandbox", "/account", url.Values{"action": {"language"}, "language": {"fr"}}, []string{`<option value="fr" lang="fr" selected>`, notDone}},
		{"alice@sandbox", strings.Trim(role, `"`), url.Values{"r1.first_name": {"Robert"}, "r1.email": {"robert@"}, "r1.by_sms": {"yes"}}, []string{`value="Robert"`, `value="robert@"`}},
		{"carol@sandbox", "/custom-fields?new=yes", url.Values{"action": {"save"}, "id": {"iban"}, "value": {"DE00"}, "language": {"en", "de"}, "name": {"Account", "Konto"}}, []string{`value="iban"`, `value="DE00"`, `value="Account"`, `value="Konto"`, `value="de"`}},
	} {
		back := form.leave(t, e2etest.Browser(t, app).SignedIn(form.user))
		found := string(e2etest.Browser(t, app).SignedIn(form.user).Page(back).Want(http.StatusOK).Body)
		for _, text := range form.holds {
			if !strings.Contains(found, text) {
				t.Errorf("%s: no %q on %s:\n%s", form.page, text, back, found)
			}
		}
		for _, other := range []string{"alice@sandbox", "carol@sandbox", "bob@sandbox"} {
			if theirs := e2etest.Browser(t, app).SignedIn(other).Page(back); other != form.user && strings.Contains(string(theirs.Body), form.holds[0]) {
				t.Errorf("%s reads what %s typed on %s", other, form.user, form.page)
			}
		}
		form.typed.Set("ticket", "A"+form.typed.Get("ticket"))
		if to := form.send(t, e2etest.Browser(t, app)); strings.Contains(to, "left=") {
			t.Errorf("an altered ticket leaves something: %s", to)
		}
	}
}

// An address may store as many forms as it may sign in. Beyond that limit the user signs in
// without the form.
func TestForm_KeptWithinLimit(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN_ADDRESS=2/h")
	page := e2etest.Browser(t, app).SignedIn("carol@sandbox").Page("/custom-fields?new=yes")
	ticket := string(ticketInput.FindSubmatch(page.Body)[1])
	for i, kept := range []bool{true, true, false} {
		form := small{page: "/custom-fields?new=yes", typed: url.Values{"action": {"save"}, "id": {strconv.Itoa(i)}, "ticket": {ticket}}}
		if to := form.send(t, e2etest.Browser(t, app)); strings.Contains(to, "left=") != kept {
			t.Errorf("form %d leads to %s", i, to)
		}
	}
}
