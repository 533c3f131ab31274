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
	// On a busy machine the index reads the draft in the background meanwhile: the fewest calls
	// of three times are those of the person's own.
	saving, sending := 100, 100
	for range 3 {
		p := open(t, c, "/packages/new").set("name", "Lease").set(firstIsAlice...).choose("lease.pdf", document("Lease")).follow("add-files")
		p.follow("add-field").set("f3.recipient", "r1").follow("save")
		_, id, _ := strings.Cut(p.path, "/packages/new/")
		calls := func(do func()) int {
			e2etest.Manage(t, app, "DELETE", "/journal", nil)
			do()
			return len(e2etest.JournalOf(t, app, id))
		}
		saving = min(saving, calls(func() {
			p.set("name", "Lease of the mill").follow("save").has("The draft is saved.", `value="Lease of the mill"`)
		}))
		sending = min(sending, calls(func() {
			c.Page(p.press("send").Want(http.StatusSeeOther).Header.Get("Location")).Want(http.StatusOK)
		}))
	}
	if saving > 5 || sending > 6 {
		t.Errorf("saving takes %d calls, not 5; sending %d, not 6", saving, sending)
	}
}
