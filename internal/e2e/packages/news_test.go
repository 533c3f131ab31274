package packages_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Home and the tabs tell what happened until the tab was opened, in any session of the
// person; nothing is told of what was over before, and of what they cancelled themselves.
func TestSinceYourLastVisit(t *testing.T) {
	app := e2etest.Boot(t)
	alice, again, bob := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox")
	indexed(alice)
	lacks(t, alice.Page("/").Want(http.StatusOK), "since your last visit")
	id := create(alice, lease("Lease of the mill", "SENT", "bob@sandbox.example"))
	lacks(t, alice.Page("/"), "since your last visit")
	alice.Post("/packages/"+id, "action", "cancel", "reason", "The mill is sold.").Want(http.StatusSeeOther)
	lacks(t, alice.Page("/"), "since your last visit")
	told := bob.Page("/").Want(http.StatusOK)
	has(t, told, `<a href="/packages?tab=done">1 cancelled</a> since your last visit`)
	has(t, bob.Page("/packages"), `aria-describedby="count-done"`, "1 new since you last opened this")
	bob.Page("/packages?tab=sent")
	has(t, bob.Page("/"), "1 cancelled")
	lacks(t, bob.Page("/packages?tab=done").Want(http.StatusOK), "count-done")
	lacks(t, bob.Page("/"), "since your last visit")
	lacks(t, e2etest.Browser(t, app).SignedIn("bob@sandbox").Page("/"), "since your last visit")
	if strings.Contains(string(again.Page("/").Body), "since your last visit") {
		t.Error("Alice is told of what she did")
	}
}
