package compose_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// twoTabs prepares one draft in two tabs. The one that was not looked at since the other was
// saved overwrites nothing before its person replaces that, and shows what was typed in it.
func twoTabs(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	const says = "This draft was changed elsewhere"
	held := func(id string) string {
		t.Helper()
		return string(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body)
	}
	behind := func(p *page, button string) {
		t.Helper()
		p.take(p.press(button).Want(http.StatusConflict))
		if !strings.Contains(p.body, `data-part="request" hidden`) {
			t.Error("there is a request number, though nothing went wrong")
		}
		p.has(says, `value="replace">Replace it<`, `href="`+p.path+`?newer=yes" target="_blank" rel="noopener">Look at the newer version in a new window<`)
	}

	one := saved(t, c).follow("add-recipient").set("r3.email", "bob@sandbox.example").follow("add-field").set("f4.recipient", "r1", "f4.label", "Rent", "f4.kind", "text").follow("keep")
	two := open(t, c, one.path).set("name", "Second", "remind_first", "3", "remind_every", "4", "remind_most", "5", "r3.first_name", "Bob", "f4.label", "Deposit")
	one.set("name", "First").follow("remove:r3").follow("remove:f4").follow("add-recipient").set("r5.email", "dora@sandbox.example").follow("save")
	one.set("r1.phone", "+4915112345678").follow("save") // its own save is no conflict

	for _, button := range []string{"save", "send", "add-field", "remove:r1", "keep"} {
		behind(two, button)
		two.has(`value="Second"`, `value="bob@sandbox.example"`, `value="Bob"`, `value="Deposit"`, `name="remind_most" type="text" inputmode="numeric" value="5"`, "lease.pdf")
		if strings.Contains(two.body, "dora@") {
			t.Error("the tab shows what was typed in the other")
		}
	}
	open(t, c, one.path).has(`value="First"`, `value="dora@sandbox.example"`)
	if made := held(one.id()); !strings.Contains(made, `"name":"First"`) || !strings.Contains(made, `"status":"DRAFT"`) {
		t.Errorf("the package is %s", made)
	}
	one.set("name", "Third").follow("save") // what the tab was told of is not the newest any more
	behind(two, "replace")
	again := two.values
	two.follow("replace").has("The draft is saved.", `value="Second"`, `value="bob@sandbox.example"`, `value="Deposit"`, "lease.pdf")
	if made := held(one.id()); !strings.Contains(made, `"name":"Second"`) || strings.Contains(two.body, "dora@") {
		t.Errorf("the package is %s", made)
	}
	two.values, again = again, two.values // the answer got lost
	two.press("replace").Want(http.StatusSeeOther)
	two.values = again

	behind(one.set("name", "Fourth").choose("terms.pdf", document("Terms")), "add-files") // files are never lost
	one.has(`value="Fourth"`, "terms.pdf", "lease.pdf")
	one = open(t, c, one.path+"?newer=yes").has(`value="Second"`, "terms.pdf")
	one.follow("add-field").press("send").Want(http.StatusBadRequest)
	one.set("r3.last_name", "Builder").follow("save").press("send").Want(http.StatusSeeOther)
	if made := held(one.id()); !strings.Contains(made, `"status":"SENT"`) || !strings.Contains(made, "terms.pdf") {
		t.Errorf("the package is %s", made)
	}
	for p, notice := range map[*page]string{one: "?notice=package-sent", two: "?notice=package-sent-before"} {
		for _, button := range []string{"send", "save"} {
			if to := p.press(button).Want(http.StatusSeeOther).Header.Get("Location"); to != "/packages/"+p.id()+notice {
				t.Errorf("%s leads to %s", button, to)
			}
		}
	}
}

// Replacing a newer version replaces the reminders that a program has set, too.
func TestReplace_Reminders(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := saved(t, c)
	reminders := "/api/packages/" + p.id() + "/reminders"
	c.Send("PUT", "/api/packages/"+p.id(), map[string]any{"name": "By a program"}).Want(http.StatusOK)
	c.Send("POST", reminders, map[string]any{"startInDaysDelay": 2, "intervalInDays": 3, "repetitionsCount": 2})
	p.set("name", "Typed").take(p.press("save").Want(http.StatusConflict))
	p.has(`name="remind_first" type="text" inputmode="numeric" value=""`)
	p.follow("replace").has(`name="remind_first" type="text" inputmode="numeric" value=""`).press("send").Want(http.StatusSeeOther)
	if r := c.Send("GET", reminders, nil); r.Status != http.StatusNoContent {
		t.Errorf("it was sent with reminders that no page showed: %d %s", r.Status, r.Body)
	}
}

// What the platform did not store is no newer version.
func TestSave_Again(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	p := saved(t, e2etest.Browser(t, app).SignedIn("alice@sandbox"))
	p.set("name", "Typed")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "updatePackage", "times": 0, "status": 503})
	answer := p.press("save")
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	if answer.Status != http.StatusServiceUnavailable {
		t.Fatalf("it is answered %d", answer.Status)
	}
	p.take(answer)
	if again := p.press("save"); again.Status != http.StatusSeeOther {
		t.Errorf("sent again, it is answered %d", again.Status)
	}
}

// A person who double-clicks has each thing done once, at whichever call of the platform the
// browser gives up the first request.
func TestForm_DoubleClick(t *testing.T) {
	t.Parallel()
	app, platform := e2etest.BootWholeApart(t)
	for _, press := range []struct{ button, method, path string }{
		{"save", "POST", `/packages$`},
		{"save", "POST", `/packages/[^/]+/documents$`},
		{"send", "PUT", `/packages/[^/]+$`},
		{"save again", "PUT", `/packages/[^/]+$`},
	} {
		t.Run(press.button+" "+press.method+" "+press.path, func(t *testing.T) {
			c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
			p := open(t, c, "/packages/new").set("name", "Twice", "r1.first_name", "Alice", "r1.last_name", "Archer", "r1.email", "alice@acme.com").choose("a.txt", "text")
			if press.button != "save" {
				p = p.follow("save").set("name", "Again")
			}
			button, _, _ := strings.Cut(press.button, " ")
			contentType, body := p.form(button)
			path := regexp.MustCompile(press.path)
			at := func(r *http.Request) bool { return r.Method == press.method && path.MatchString(r.URL.Path) }
			r, times := e2etest.DoubleClick(c, platform, at, func(c *e2etest.Client) e2etest.Reply {
				return c.Send("POST", p.path, body, "Content-Type", contentType, "Accept", "text/html")
			})
			if r.Status != http.StatusSeeOther || times != 1 {
				t.Errorf("asked %d times, answered %d %q", times, r.Status, r.Header.Get("Location"))
			}
		})
	}
}
