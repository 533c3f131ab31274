package compose_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A person's input is kept, whatever happens meanwhile to the draft, to their session and
// to the platform.
func TestNothingTypedIsLost(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), changedElsewhere, documentGoneElsewhere, twoTabs, settledTwice, signedOut, platformAway, smallForms, endingOtherSessionsEndsKeptForms,
	)
}

// saved returns the page of a draft with one document.
func saved(t *testing.T, c *e2etest.Client) *page {
	t.Helper()
	return open(t, c, "/packages/new").set("name", "Lease").set(alice...).choose("lease.pdf", document("Lease")).follow("add-files").follow("save")
}

// A draft changed by a program meanwhile is not overwritten before its person replaces what
// the program made of it, or goes on from that.
func changedElsewhere(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	const says, text = "This draft was changed elsewhere", "nothing was overwritten"
	held := func(p *page) string {
		t.Helper()
		return string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body)
	}
	for _, name := range []string{"Typed", "By a program"} {
		p := saved(t, c)
		c.Send("PUT", "/api/packages/"+p.id(), map[string]any{"name": "By a program"}).Want(http.StatusOK)
		for _, button := range []string{"save", "send", "add-field", "remove:d2"} {
			p.set("name", "Typed").take(p.press(button).Want(http.StatusConflict))
			p.has(says, text, `value="replace"`, `value="Typed"`, "lease.pdf")
		}
		if made := held(p); !strings.Contains(made, `"status":"DRAFT"`) || !strings.Contains(made, `"name":"By a program"`) || !strings.Contains(made, "lease.pdf") {
			t.Errorf("the package is %s", made)
		}
		newer := open(t, c, p.path+"?newer=yes").has(`value="By a program"`, "lease.pdf", `value="Archer"`)
		if name == "Typed" {
			open(t, c, p.path).has(says, `value="Lease"`) // what is stored is shown too, and what was typed on it
			newer = p.follow("replace").has(`value="Typed"`, "lease.pdf", `value="Archer"`)
		}
		if strings.Contains(newer.body, says) {
			t.Errorf("it is not settled: %s", newer.body)
		}
		newer.press("send").Want(http.StatusSeeOther)
		if made := held(p); !strings.Contains(made, `"name":"`+name+`"`) || !strings.Contains(made, `"status":"SENT"`) {
			t.Errorf("the package is %s", made)
		}
	}
}

// A document that a program has taken out of a draft does not come back.
func documentGoneElsewhere(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := saved(t, c)
	made := c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK)
	for _, d := range made.Member("documents").([]any) {
		if d := d.(map[string]any); d["name"] == "lease.pdf" {
			c.Send("DELETE", "/api/packages/"+p.id()+"/documents/"+d["id"].(string), nil)
		}
	}
	p.set("name", "Typed").choose("other.pdf", document("Other")).take(p.press("add-files").Want(http.StatusConflict))
	p.has("other.pdf", `value="Typed"`).follow("replace").has("other.pdf", `value="Typed"`)
	if strings.Contains(p.body, "lease.pdf") {
		t.Errorf("the document that is gone is shown: %s", p.body)
	}
	p.press("send").Want(http.StatusSeeOther)
}

// If a draft is saved from the newer version while the older page replaces it, one of the two
// wins as a whole.
func settledTwice(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := saved(t, c)
	c.Send("PUT", "/api/packages/"+p.id(), map[string]any{"name": "By a program"}).Want(http.StatusOK)
	p.set("name", "Typed").take(p.press("save").Want(http.StatusConflict))
	newer := open(t, c, p.path+"?newer=yes")
	var wait sync.WaitGroup
	for i := range 6 {
		from, button := p, "replace"
		if i%2 == 1 {
			from, button = newer, "save"
		}
		contentType, body := from.form(button)
		wait.Go(func() {
			if r := c.Send("POST", p.path, body, "Content-Type", contentType, "Accept", "text/html"); r.Status >= 500 {
				t.Errorf("it is answered %d: %s", r.Status, r.Body)
			}
		})
	}
	wait.Wait()
	p = open(t, c, p.path)
	typed, programs := strings.Contains(p.body, `value="Typed"`), strings.Contains(p.body, `value="By a program"`)
	if typed == programs || strings.Contains(p.body, "This draft was changed elsewhere") {
		t.Fatalf("it is not settled: %s", p.body)
	}
	p.has("lease.pdf", `value="Archer"`).press("send").Want(http.StatusSeeOther)
	name := map[bool]string{true: "Typed", false: "By a program"}[typed]
	if made := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body); !strings.Contains(made, `"name":"`+name+`"`) {
		t.Errorf("the package is %s", made)
	}
}

// A form sent after the session ended is restored when the same person has signed in
// again, and for nobody else.
func signedOut(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	next := func(p *page) string {
		t.Helper()
		c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
		to, err := url.Parse(p.press("save").Want(http.StatusSeeOther).Header.Get("Location"))
		if err != nil || to.Path != "/login" {
			t.Fatalf("it leads to %s, %v", to, err)
		}
		c = e2etest.Browser(t, app).SignedIn("alice@sandbox")
		return to.Query().Get("next")
	}
	fresh := next(open(t, c, "/packages/new").set("name", "Never saved", "r1.email", "bob@").choose("a.txt", "text"))
	open(t, c, fresh).has(`value="Never saved"`, `value="bob@"`).follow("keep").has(`value="bob@"`)
	large := strings.Repeat("text ", 1<<19)
	withFiles := next(open(t, c, "/packages/new").set("name", "With files", "r1.email", "bob@").choose("a.txt", large).choose("b.txt", large))
	open(t, c, withFiles).has(`value="With files"`, `value="bob@"`, "Your files were not kept").follow("keep").has(`value="With files"`)
	p := saved(t, c)
	path := next(p.set("name", "Typed late", "r1.phone", "0049"))
	open(t, c, path).has(`value="Typed late"`, `value="0049"`, "lease.pdf")
	open(t, c, p.path).has(`value="Lease"`)
	for _, other := range []string{"bob@sandbox", "carol@sandbox"} {
		_, mark, _ := strings.Cut(fresh, "?")
		if theirs := open(t, e2etest.Browser(t, app).SignedIn(other), "/packages/new?"+mark); strings.Contains(theirs.body, "Never saved") {
			t.Errorf("%s reads what Alice typed", other)
		}
	}
	for _, odd := range []string{"?left=x", "?left=" + strings.Repeat("0", 64), "?left=%ff", "?left=" + strings.Repeat("é", 64)} {
		open(t, c, "/packages/new"+odd)
	}
	for _, ticket := range []string{"", "x", strings.Repeat("A", 80)} {
		p := open(t, c, "/packages/new").set("name", "Forged", "ticket", ticket)
		if to := next(p); to != "/packages/new?notice=not-done" {
			t.Errorf("the ticket %q leaves something: %s", ticket, to)
		}
	}
	long := open(t, c, "/packages/new").set("name", strings.Repeat("long ", 20_000))
	if to := next(long); to != "/packages/new?notice=not-done" {
		t.Errorf("too much is left: %s", to)
	}
}

// If nothing can be saved because the platform is away, the page itself keeps the input.
func platformAway(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	for _, operation := range []string{"getPackage", "updatePackage", "updateRole", "createRole", "updateApprovals"} {
		p := saved(t, c)
		p.set("name", `Typed <now> "so"`, "r1.last_name", "Baker").follow("add-recipient").set("r3.first_name", "Bob", "r3.last_name", "Builder", "r3.email", "bob@sandbox.example")
		e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": operation, "times": 0, "status": 503})
		answer := p.press("send")
		if answer.Status < 500 {
			t.Fatalf("%s: it is answered %d: %s", operation, answer.Status, answer.Body)
		}
		e2etest.Manage(t, app, "DELETE", "/faults", nil)
		p.take(answer)
		p.has("Typed &lt;now&gt; &#34;so&#34;", `value="bob@sandbox.example"`)
	}
}
