package compose_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A person's input is kept, whatever happens meanwhile to the draft, to their session and
// to the platform.
func TestForm_InputKept(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), twoTabs, signedOut, platformAway, smallForms,
	)
}

// saved returns the page of a draft with one document.
func saved(t *testing.T, c *e2etest.Client) *page {
	t.Helper()
	return open(t, c, "/packages/new").set("name", "Lease").set(firstIsAlice...).choose("lease.pdf", document("Lease")).follow("add-files").follow("save")
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
}

// If nothing can be saved because the platform is away, the page itself keeps the input.
func platformAway(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	for _, operation := range []string{"getPackage", "updateRole"} {
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
