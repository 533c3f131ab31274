package signing_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A person with permission to read a package sees its pages: pictures in three widths, each as large as it
// will be, with its text, and links to jump by.
func aPackageShowsItsPages(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	l := lease("Lease of the mill", "SENT", "bob@sandbox.example", "carol@sandbox.example")
	l["documents"].([]any)[0].(object)["base64Content"] = base64.StdEncoding.EncodeToString([]byte(words))
	l["documents"].([]any)[0].(object)["name"] = "Lease.pdf"
	id := create(p.alice, l)
	pages := page(id) + "/documents/lease/pages/"
	for _, c := range []*e2etest.Client{p.alice, p.bob} {
		r := c.Page(page(id)).Want(http.StatusOK)
		for n, height := range map[int]int{1: 1035, 2: 618} {
			has(t, r, fmt.Sprintf(`srcset="%[1]s%[2]d.png?width=400 400w, %[1]s%[2]d.png?width=800 800w, %[1]s%[2]d.png?width=1600 1600w"`, pages, n),
				fmt.Sprintf(`alt="Page %d of Lease" loading="lazy" width="800" height="%d"`, n, height),
				fmt.Sprintf(`href="%s%d.txt">Text of this page<`, pages, n),
				fmt.Sprintf(`<a href="#sheet-0-%d"><img src="%s%d.png?width=400" alt=""`, n, pages, n), fmt.Sprintf(`<span>Page %d</span></a>`, n))
		}
		has(t, r, ">Larger<", ">Smaller<", `sizes="(min-width: 60rem) 46rem, 100vw"`, ">Open document<")
		has(t, c.Page(page(id)+"?zoom=200"), `data-zoom="200"`, `value="300">Larger<`, `value="150">Smaller<`, "200vw")
		for _, zoom := range []string{"300", "1000", "x", ""} {
			c.Page(page(id) + "?zoom=" + zoom).Want(http.StatusOK)
		}
	}
	// One's own fields alone are marked, where they are.
	has(t, p.bob.Page(page(id)), `viewBox="0 0 612 792"`, `aria-label="Your fields on this page: Signature"`, `<rect x="72" y="100" width="200" height="40">`)
	lacks(t, p.bob.Page(page(id)), `y="200"`)
	lacks(t, p.alice.Page(page(id)), `class="marks"`)
	e2etest.Sign(t, app, p.bob, id)
	lacks(t, p.bob.Page(page(id)), `class="marks"`)
}

// What cannot be shown is said, with a link to the file.
func aDocumentThatCannotBeShownLinksToItsFile(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	l := lease("Lease", "SENT", "bob@sandbox.example")
	l["documents"].([]any)[0].(object)["base64Content"] = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 nothing else"))
	id := create(p.alice, l)
	for _, c := range []*e2etest.Client{p.alice, p.bob} {
		has(t, c.Page(page(id)).Want(http.StatusOK), "This document cannot be shown here.", `<a href="/api`+page(id)+`/documents/lease/pdf?inline=yes">Open the file</a>`)
		lacks(t, c.Page(page(id)), "<img src=\"/packages", ">Larger<")
	}
}

// A package keeps its owner's display name, by JSON and by page and in each copy; clients
// never get it, and nobody is called by an address.
func whoAsks(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "PUT", "/users/sally@sandbox", object{"passKey": "Sandbox-1!", "email": "sally@sandbox.example", "displayName": "Sally  Sender"})
	e2etest.Manage(t, app, "PUT", "/users/dana@sandbox", object{"passKey": "Sandbox-1!", "email": "dana@sandbox.example", "displayName": "dana@sandbox.example"})
	p := meet(t, app)
	sally, dana := e2etest.Browser(t, app).SignedIn("sally@sandbox"), e2etest.Browser(t, app).SignedIn("dana@sandbox")
	id := create(sally, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	copied := sally.Send("POST", "/api/packages/"+id+"/clone", object{"name": "Copy"}).Want(http.StatusOK).Text("id")
	left := strings.TrimPrefix(strings.TrimSuffix(sally.Post(page(id), "action", "copy").Want(http.StatusSeeOther).Header.Get("Location"), "?notice=package-copied"), "/packages/new/")
	for _, one := range []string{id, copied, left} {
		has(t, e2etest.AtPlatform(t, app, "GET", "/api/packages/"+one, nil), `"ownerName":"Sally Sender"`, `"owner":"sally@sandbox"`)
		lacks(t, sally.Send("GET", "/api/packages/"+one, nil).Want(http.StatusOK), "ownerName", "countersign")
	}
	sally.Send("PUT", "/api/packages/"+id, object{"data": object{"mine": 1}}).Want(http.StatusOK)
	has(t, e2etest.AtPlatform(t, app, "GET", "/api/packages/"+id, nil), `"ownerName":"Sally Sender"`, `"mine":1`)
	made := func(action string) e2etest.Reply {
		to := sally.Post(page(id), "action", action).Want(http.StatusSeeOther).Header.Get("Location")
		to, _, _ = strings.Cut(strings.TrimPrefix(to, "/packages/new/"), "?")
		return e2etest.AtPlatform(t, app, "GET", "/api/packages/"+to, nil)
	}
	has(t, made("copy"), `"ownerName":"Sally Sender"`, `"mine":1`)

	has(t, p.bob.Page(page(id)), "Sally Sender asks you to sign")
	lacks(t, p.bob.Page(page(id)), "sally@sandbox")
	has(t, p.carol.Page(page(id)), "Sally Sender asks you to sign", "It is not your turn yet")
	has(t, p.bob.Page("/packages"), "Sally Sender asks you to sign")
	lacks(t, sally.Page("/packages?tab=sent"), "Sally Sender", "asks you to sign")
	lacks(t, sally.Page(page(id)), "Sally Sender", "asks you to sign")
	e2etest.Sign(t, app, p.bob, id)
	lacks(t, p.bob.Page(page(id)), "asks you to sign")
	has(t, p.bob.Page(page(id)), "From Sally Sender")

	other := create(dana, lease("Lease", "SENT", "bob@sandbox.example"))
	lacks(t, e2etest.AtPlatform(t, app, "GET", "/api/packages/"+other, nil), "ownerName")
	lacks(t, p.bob.Page(page(other)), "dana@sandbox")
	has(t, p.bob.Page(page(other)), " asks you to sign")
}

// Owners and operators see how many have signed and everybody's address, a signer what is
// theirs; there is evidence once somebody has signed.
func howFarItIs(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "PUT", "/users/frank@sandbox", object{"passKey": "Sandbox-1!", "status": "active"})
	p, operator := meet(t, app), e2etest.Browser(t, app).SignedIn("frank@sandbox")
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	for _, c := range []*e2etest.Client{p.alice, operator} {
		has(t, c.Page(page(id)), "0 of 2 signed", "bob@sandbox.example", "carol@sandbox.example", "A reminder goes to: Bob Signer<")
		lacks(t, c.Page(page(id)), "Waiting for you", ">Evidence<")
	}
	has(t, p.bob.Page(page(id)), "Waiting for you", "Sign on your phone")
	lacks(t, p.bob.Page(page(id)), "of 2 signed", "carol@sandbox.example")
	lacks(t, p.carol.Page(page(id)), "Waiting for you", "You have signed", "Sign on your phone")
	e2etest.Sign(t, app, p.bob, id)
	for _, c := range []*e2etest.Client{p.alice, operator} {
		has(t, c.Page(page(id)), "1 of 2 signed", ">Evidence<", "A reminder goes to: Carol Signer<")
	}
	has(t, p.bob.Page(page(id)), "You have signed")
	lacks(t, p.bob.Page(page(id)), "Waiting for you", "Sign on your phone", "1 of 2")
	has(t, p.alice.Page(page(id)+"/recipients/carol"), "In the package Lease", ">Go back<")
	e2etest.Sign(t, app, p.carol, id)
	has(t, p.alice.Page(page(id)), "2 of 2 signed")
	lacks(t, p.alice.Page(page(id)+"?notice=package-reminded"), "Reminder sent", "fingerprint")
	audit := p.alice.Page(page(id) + "/audit").Want(http.StatusOK)
	if !regexp.MustCompile(`data-exact>\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC<`).Match(audit.Body) {
		t.Errorf("times lack seconds or zone: %s", audit.Body)
	}
	has(t, e2etest.Browser(t, app).Page("/login"), "fingerprint")
}

// A signer's refusal is called by their name, with the reason for the person whom it was given to.
func whoDeclined(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	body := object{"status": "DECLINED", "messages": []any{object{"from": object{"id": "bob"}, "content": "Too <dear>."}}}
	p.alice.Send("PUT", "/api/packages/"+id, body).Want(http.StatusOK)
	has(t, p.alice.Page(page(id)+"?notice=package-cancelled"), ">Declined by Bob Signer<", "Too &lt;dear&gt;.")
	lacks(t, p.alice.Page(page(id)+"?notice=package-cancelled"), "The package is cancelled.")
	has(t, p.bob.Page(page(id)), ">Declined by you<", "Too &lt;dear&gt;.")
	has(t, p.carol.Page(page(id)), ">Declined by Bob Signer<", "From Alice Archer")
	lacks(t, p.carol.Page(page(id)), "dear")
	has(t, p.alice.Page("/packages?tab=done"), ">Declined by Bob Signer<", `class="tag failed"`)
	has(t, p.carol.Page("/packages?tab=done"), "From Alice Archer")
}

// Files that a signer was asked for and attached are there for the owner, one by one and as
// an archive, and for the signer their own.
func attachmentsAreThere(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	l := lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example")
	for i, r := range l["roles"].([]any) {
		r.(object)["attachmentRequirements"] = []any{object{"id": []string{"passport", "passport-2"}[i], "name": "Passport", "description": "Both sides.", "required": true}}
	}
	id := create(p.alice, l)
	has(t, p.alice.Page(page(id)), ">Attachments<", ">Passport<", "Both sides.", "Bob Signer · Required", "Not attached yet")
	for _, name := range []string{"front.txt", "back.txt"} {
		upload(p.bob, "/api/packages/"+id+"/attachment/passport", form(attached(name, name))).Want(http.StatusOK)
	}
	for who, archive := range map[*e2etest.Client]string{p.alice: "/zip", p.bob: "/zip/bob"} {
		r := who.Page(page(id))
		links := regexp.MustCompile(`<a href="([^"]+)" download>(front|back)\.txt<`).FindAllSubmatch([]byte(e2etest.WithoutIsolation(r.Body)), -1)
		if len(links) != 2 {
			t.Fatalf("%d files: %s", len(links), r.Body)
		}
		for _, link := range links {
			if got := who.Send("GET", string(link[1]), nil).Want(http.StatusOK); string(got.Body) != string(link[2])+".txt" {
				t.Errorf("%s is %q", link[2], got.Body)
			}
		}
		has(t, r, `<a href="/api`+page(id)+`/attachment`+archive+`" download>All attachments<`)
		packed := who.Send("GET", "/api"+page(id)+"/attachment"+archive, nil).Want(http.StatusOK).Body
		if files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed))); err != nil || len(files.File) != 2 {
			t.Errorf("the archive: %v, %v", files, err)
		}
	}
	lacks(t, p.carol.Page(page(id)), "front.txt", "All attachments")
	has(t, p.alice.Page(page(id)), `front.txt</a> <span class="meta">Not checked</span>`)
	e2etest.Manage(t, app, "POST", "/attachment-verifications", map[string]any{"package": id, "attachment": "passport", "file": 1, "status": "FAILED", "reasonCode": "UNREADABLE"})
	has(t, p.alice.Page(page(id)), `front.txt</a> <span class="meta">The check failed</span> <code>UNREADABLE</code>`, `back.txt</a> <span class="meta">Not checked</span>`)
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getAttachmentVerifications", "status": 403})
	lacks(t, p.alice.Page(page(id)), "The check failed")
}

// The code for the phone is the page's own address, with nothing of the session in it.
func theCodeIsThePage(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example"))
	first := regexp.MustCompile(`<path d="([^"]+)" fill="#000"`).FindSubmatch(p.bob.Page(page(id)).Body)
	again := regexp.MustCompile(`<path d="([^"]+)" fill="#000"`).FindSubmatch(e2etest.Browser(t, app).SignedIn("bob@sandbox").Page(page(id) + "?from=signing&zoom=200").Body)
	if first == nil || again == nil || !bytes.Equal(first[1], again[1]) {
		t.Errorf("two sessions have two codes: %s, %s", first, again)
	}
}
