package signing_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Home and the tabs tell what happened until the tab was opened, in any session of the
// person; nothing is told of what was over before, and of what they cancelled themselves.
func TestHome_NewsSinceLastVisit(t *testing.T) {
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

// Sent carries the number of others' new signatures, until it was opened; what comes while it
// is open stays for the next time.
func TestSentTab_NewSignatures(t *testing.T) {
	app := e2etest.Boot(t)
	p := meet(t, app)
	first := create(p.alice, lease("Lease", "SENT", "alice@sandbox.example", "bob@sandbox.example", "carol@sandbox.example"))
	number := func(c *e2etest.Client) string {
		t.Helper()
		found := regexp.MustCompile(`id="count-sent"[^>]*>([^<]*)<`).FindSubmatch(c.Page("/packages").Want(http.StatusOK).Body)
		if found == nil {
			return ""
		}
		return string(found[1])
	}
	signs := func(c *e2etest.Client) {
		e2etest.Sign(t, app, c, first)
		c.Page(page(first)).Want(http.StatusOK) // the index is told
	}
	signs(p.alice)
	if got := number(p.alice); got != "" {
		t.Errorf("for her own signature: %q", got)
	}
	signs(p.bob)
	if got := number(p.alice); got != "1 new signature" {
		t.Errorf("for Bob's signature: %q", got)
	}
	if got := number(p.bob); got != "" {
		t.Errorf("Bob, who owns nothing: %q", got)
	}
	lacks(t, p.alice.Page("/packages?tab=sent").Want(http.StatusOK), "count-sent")
	if got := number(e2etest.Browser(t, app).SignedIn("alice@sandbox")); got != "" {
		t.Errorf("after it was opened: %q", got)
	}
}
