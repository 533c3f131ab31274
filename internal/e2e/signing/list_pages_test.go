package signing_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A package moves between the tabs as it moves between people, and each person is told
// what they have to do.
func TestPackageList_Tabs(t *testing.T) {
	app := e2etest.Boot(t)
	alice, bob, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	has(t, alice.Page("/packages").Want(http.StatusOK), "Nothing waits for you to sign", `href="/packages/new"`, ">To sign<", ">Sent<", ">Done<", ">Drafts<")
	draft := create(alice, lease("Still a draft", "DRAFT", "bob@sandbox.example"))
	id := create(alice, lease("Lease of the mill", "SENT", "bob@sandbox.example", "carol@sandbox.example"))

	has(t, alice.Page("/packages?tab=drafts"), "Still a draft", "/packages/new/")
	lacks(t, alice.Page("/packages?tab=drafts"), "Lease of the mill")
	has(t, alice.Page("/packages?tab=sent"), "Lease of the mill", "0 of 2 signed", "Bob Signer, Carol Signer", "1–1 of 1")
	lacks(t, alice.Page("/packages?tab=sent"), "Still a draft", "Sign now")
	has(t, bob.Page("/packages"), "Lease of the mill", "Sign now", "1 waits for you", "Waiting for you", "Bob Signer (you), Carol Signer")
	lacks(t, bob.Page("/packages"), "carol@sandbox.example", "alice@sandbox", " of 2 signed", "Still a draft")
	has(t, bob.Page("/"), "1 package waits for you to sign")
	has(t, carol.Page("/packages"), "Lease of the mill", "It is not your turn yet")
	lacks(t, carol.Page("/packages"), "Sign now", "waits for you")
	lacks(t, carol.Page("/"), "to sign")
	for _, path := range []string{"/packages?search=MILL", "/packages?search=carol+s"} {
		has(t, bob.Page(path), "Lease of the mill")
	}
	lacks(t, bob.Page("/packages?search=carol@sandbox.example"), "Lease of the mill")
	has(t, bob.Page("/packages?search=nothing"), "Nothing was found here", `value="nothing"`, `href="/packages?search=nothing&amp;tab=sent"`)

	has(t, bob.Page("/packages?search=mill&tab=done"), "Nothing was found here", "Also found in:", `href="/packages?search=mill">To sign (1)</a>`)
	lacks(t, bob.Page("/packages?search=mill"), "Also found in:")

	alice.Send("PUT", "/api/packages/"+id, object{"status": "DECLINED", "messages": []any{object{"content": "The mill is sold."}}}).Want(http.StatusOK)
	for _, c := range []*e2etest.Client{alice, bob, carol} {
		has(t, c.Page("/packages?tab=done"), "Lease of the mill", "Declined")
		lacks(t, c.Page("/packages?tab=sent"), "Lease of the mill")
		lacks(t, c.Page("/packages"), "Lease of the mill")
	}
	if strings.Contains(string(bob.Page("/packages?tab=drafts").Body), draft) {
		t.Error("Bob sees the draft")
	}
}

// A list shows twenty at a time, with its filter in the address, and is exported whole.
func TestPackageList_Paging(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	indexed(alice)
	for i := range 21 {
		create(alice, object{"name": fmt.Sprintf("Draft %02d", i)})
	}
	first := alice.Page("/packages?tab=drafts&search=draft").Want(http.StatusOK)
	has(t, first, "1–20 of 21", "Draft 20", "Draft 01", `href="/packages?from=21&amp;search=draft&amp;tab=drafts" rel="next">Next<`)
	lacks(t, first, "Draft 00", "Previous")
	has(t, alice.Page("/packages?from=21&search=draft&tab=drafts"), "Draft 00", `href="/packages?search=draft&amp;tab=drafts" rel="prev">Previous<`)
	has(t, alice.Page("/packages?from=61&search=draft&tab=drafts"), "21–21 of 21", "Draft 00")
	for _, from := range []string{"0", "-1", "x", "99999999999999999999", ""} {
		alice.Page("/packages?tab=drafts&from=" + from).Want(http.StatusOK)
	}
	for _, odd := range []string{"tab=x", "search=%ff", "search=" + strings.Repeat("%C3%A4", 200)} {
		alice.Page("/packages?" + odd).Want(http.StatusOK)
	}
	tabsAreExported(t, app, alice)
}

// Signed out, the list leads to the sign-in; without the signing API there is no list.
func TestPackageList_AccessRefused(t *testing.T) {
	app := e2etest.Boot(t, "SIGNING_CREATORS=operators")
	alice, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	lacks(t, alice.Page("/packages").Want(http.StatusOK), "New package")
	has(t, carol.Page("/packages").Want(http.StatusOK), "New package")
	if to := e2etest.Browser(t, app).Page("/packages?tab=sent").Want(http.StatusSeeOther).Header.Get("Location"); to != "/login?next=%2Fpackages%3Ftab%3Dsent" {
		t.Errorf("signed out it leads to %q", to)
	}
}

// tabsAreExported has Alice's 21 drafts, and a package that she sends, exported as a table of all that
// the tab holds, in the reader's language, with nothing that a spreadsheet would take for a
// formula.
func tabsAreExported(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	bob := e2etest.Browser(t, app).SignedIn("bob@sandbox")
	create(alice, lease("=HYPERLINK(\"x\"), so to say", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	has(t, alice.Page("/packages?tab=sent"), `href="/packages/export?tab=sent" download>Export<`)
	records := csvTable(t, alice.Page("/packages/export?tab=drafts&search=draft"))
	if len(records) != 22 || records[1][0] != "Draft 20" || records[21][0] != "Draft 00" || records[1][1] != "Draft" {
		t.Errorf("drafts: %q", records)
	}
	sent := csvTable(t, alice.Page("/packages/export?tab=sent"))
	if len(sent) != 2 || sent[0][0] != "Name" || sent[1][0] != "'=HYPERLINK(\"x\"), so to say" || sent[1][2] != "0 of 2 signed" || sent[1][3] != "Bob Signer, Carol Signer" {
		t.Errorf("sent: %q", sent)
	}
	own := csvTable(t, bob.Page("/packages/export"))
	if len(own) != 2 || own[1][2] != "Waiting for you" || own[1][6] != "Alice Archer" || strings.Contains(fmt.Sprint(own), "@") {
		t.Errorf("to sign: %q", own)
	}
	e2etest.Browser(t, app).Page("/packages/export").Want(http.StatusSeeOther)
}

// csvTable reads an answer as CSV.
func csvTable(t *testing.T, r e2etest.Reply) [][]string {
	t.Helper()
	r.Want(http.StatusOK)
	if kind := r.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8; header=present" || r.Header.Get("Content-Disposition") != `attachment; filename="packages.csv"` || r.Header.Get("Cache-Control") != "no-store, no-transform" {
		t.Errorf("the table is %v", r.Header)
	}
	text, marked := bytes.CutPrefix(r.Body, []byte("\ufeff"))
	if !marked {
		t.Errorf("the table has no byte order mark: %.40q", r.Body)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}
