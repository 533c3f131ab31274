package compose_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The platform is asked for no more than is needed until a person has the page after a button:
// what did not change is not sent, and what was just read is not read again.
func savingAsksLittle(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set("name", "Lease").set(alice...).choose("lease.pdf", document("Lease")).follow("add-files")
	p.follow("add-field").set("f3.recipient", "r1").follow("save")
	_, id, _ := strings.Cut(p.path, "/packages/new/")
	asks := func(most int, do func()) {
		t.Helper()
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		do()
		if calls := e2etest.JournalOf(t, app, id); len(calls) > most {
			t.Errorf("there are %d calls, not %d: %q", len(calls), most, calls)
		}
	}
	asks(5, func() {
		p.set("name", "Lease of the mill").follow("save").has("The draft is saved.", `value="Lease of the mill"`)
	})
	asks(6, func() { c.Page(p.press("send").Want(http.StatusSeeOther).Header.Get("Location")).Want(http.StatusOK) })
}
