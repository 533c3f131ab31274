package packages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A package moves between the tabs as it moves between people, and each person is told
// what they have to do.
func TestTabs(t *testing.T) {
	app := e2etest.Boot(t)
	alice, bob, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	has(t, alice.Page("/packages").Want(http.StatusOK), "Nothing waits for you to sign", `href="/packages/new"`, ">To sign<", ">Sent<", ">Done<", ">Drafts<")
	draft := create(alice, lease("Still a draft", "DRAFT", "bob@sandbox.example"))
	id := create(alice, lease("Lease of the mill", "SENT", "bob@sandbox.example", "carol@sandbox.example"))

	has(t, alice.Page("/packages?tab=drafts"), "Still a draft", "/packages/new/")
	lacks(t, alice.Page("/packages?tab=drafts"), "Lease of the mill")
	has(t, alice.Page("/packages?tab=sent"), "Lease of the mill", "Bob Signer · Has not signed yet", "Carol Signer · Signs later")
	lacks(t, alice.Page("/packages?tab=sent"), "Still a draft", "Sign now")
	has(t, bob.Page("/packages"), "Lease of the mill", "Sign now", "1 waits for you", "Bob Signer (you) · Has not signed yet")
	lacks(t, bob.Page("/packages"), "carol@sandbox.example", "alice@sandbox", "Signs later", "Still a draft")
	has(t, bob.Page("/"), "1 package waits for you to sign")
	has(t, carol.Page("/packages"), "Lease of the mill", "It is not your turn yet")
	lacks(t, carol.Page("/packages"), "Sign now", "waits for you")
	lacks(t, carol.Page("/"), "to sign")
	for _, path := range []string{"/packages?search=MILL", "/packages?search=carol+s"} {
		has(t, bob.Page(path), "Lease of the mill")
	}
	lacks(t, bob.Page("/packages?search=carol@sandbox.example"), "Lease of the mill")
	has(t, bob.Page("/packages?search=nothing"), "Nothing was found here", `value="nothing"`, `href="/packages?search=nothing&amp;tab=sent"`)

	alice.Send("PUT", "/api/packages/"+id, members{"status": "DECLINED", "messages": []any{members{"content": "The mill is sold."}}}).Want(http.StatusOK)
	for _, c := range []*e2etest.Client{alice, bob, carol} {
		has(t, c.Page("/packages?tab=done"), "Lease of the mill", "Declined")
		lacks(t, c.Page("/packages?tab=sent"), "Lease of the mill")
		lacks(t, c.Page("/packages"), "Lease of the mill")
	}
	if strings.Contains(string(bob.Page("/packages?tab=drafts").Body), draft) {
		t.Error("Bob sees the draft")
	}
}

// A list shows twenty at a time, with its filter in the address.
func TestPaging(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	indexed(alice)
	for i := range 21 {
		create(alice, members{"name": fmt.Sprintf("Draft %02d", i)})
	}
	first := alice.Page("/packages?tab=drafts&search=draft").Want(http.StatusOK)
	has(t, first, "Draft 20", "Draft 01", `href="/packages?from=21&amp;search=draft&amp;tab=drafts" rel="next">Next<`)
	lacks(t, first, "Draft 00", "Previous")
	has(t, alice.Page("/packages?from=21&search=draft&tab=drafts"), "Draft 00", `href="/packages?search=draft&amp;tab=drafts" rel="prev">Previous<`)
	for _, from := range []string{"0", "-1", "x", "99999999999999999999", ""} {
		alice.Page("/packages?tab=drafts&from=" + from).Want(http.StatusOK)
	}
	for _, odd := range []string{"tab=x", "search=%ff", "search=" + strings.Repeat("%C3%A4", 200)} {
		alice.Page("/packages?" + odd).Want(http.StatusOK)
	}
}

// Signed out, the list leads to the sign-in; without the signing API there is no list.
func TestWhoMayNot(t *testing.T) {
	app := e2etest.Boot(t, "SIGNING_CREATORS=operators")
	alice, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	lacks(t, alice.Page("/packages").Want(http.StatusOK), "New package")
	has(t, carol.Page("/packages").Want(http.StatusOK), "New package")
	if to := e2etest.Browser(t, app).Page("/packages?tab=sent").Want(http.StatusSeeOther).Header.Get("Location"); to != "/login?next=%2Fpackages%3Ftab%3Dsent" {
		t.Errorf("signed out it leads to %q", to)
	}
}
