package browser_test

import (
	"context"
	"encoding/base64"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// inOrder returns a package that people sign one after the other.
func inOrder(name string, emails ...string) members {
	roles, approvals := []any{}, []any{}
	for i, email := range emails {
		id, _, _ := strings.Cut(email, "@")
		roles = append(roles, members{"id": id, "index": i + 1, "signers": []any{members{"email": email, "firstName": strings.ToUpper(id[:1]) + id[1:], "lastName": "Signer"}}})
		approvals = append(approvals, members{"role": id, "fields": []any{members{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100 * (i + 1), "left": 72, "width": 200, "height": 40}}})
	}
	file := base64.StdEncoding.EncodeToString([]byte(lease))
	return members{"name": name, "status": "SENT", "roles": roles, "documents": []any{members{"id": "lease", "name": "Lease", "base64Content": file, "approvals": approvals}}}
}

// sent sends a package as Alice, and returns its id.
func sent(t *testing.T, app *e2etest.App, p members) string {
	t.Helper()
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Eventually(t, "the index is whole", func() bool { return alice.Send("GET", "/api/packages?mine=owner", nil).Status == http.StatusOK })
	return alice.Send("POST", "/api/packages", p).Want(http.StatusOK).Text("id")
}

// TestPackages_FoundWatchedAndAccessible tries the pages of packages in one program.
func TestPackages_FoundWatchedAndAccessible(t *testing.T) {
	app := e2etest.Boot(t)
	t.Run("keyboard", func(t *testing.T) { packagesByKeyboard(t, app) })
	t.Run("watched", func(t *testing.T) { packageIsWatched(t, app) })
	t.Run("everybody", func(t *testing.T) { packagesAreForEverybody(t, app) })
}

// With the keyboard alone a package is found, and cancelled for a reason.
func packagesByKeyboard(t *testing.T, app *e2etest.App) {
	id := sent(t, app, inOrder("Lease of the barn", "bob@sandbox.example"))
	b := visit(t, app)
	b.expect(http.StatusBadRequest)
	b.signIn("alice@sandbox", "/")
	b.open("/packages?tab=sent")
	b.reach("textbox", "Search")
	b.press("barn" + kb.Enter)
	b.there("link", "Lease of the barn")
	b.missing("link", "Lease of the mill")
	b.reach("link", "Lease of the barn")
	b.press(kb.Enter)
	b.at("/packages/" + id)
	b.reach("link", "Cancel this package")
	b.press(kb.Enter)
	b.there("link", "Go back")
	b.reach("button", "Cancel this package")
	b.press(kb.Enter)
	b.says("alert", "Please check")
	b.resting("textbox Reason")
	b.press("The barn is sold.")
	b.reach("button", "Cancel this package")
	b.press(kb.Enter)
	b.says("status", "The package is cancelled.")
	b.there("heading", "Cancelled by you")
	b.reads("The barn is sold.")
}

// While others sign, Alice keeps the focus, her input and the caret in it, even when she
// is signed out; if her control disappears, the focus moves to a remaining one.
func packageIsWatched(t *testing.T, app *e2etest.App) {
	id := sent(t, app, inOrder("Lease of the pond", "bob@sandbox.example", "carol@sandbox.example", "alice@sandbox.example"))
	signs := func(user string) { e2etest.Sign(t, app, e2etest.Browser(t, app).SignedIn(user), id) }
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.wear(look{"narrow", "light", 320})
	b.open("/packages/" + id)
	other := b.another()
	other.open("/packages/" + id)
	const corrects = `[...document.querySelectorAll("a")].filter((a) => a.textContent === "Correct")`
	evaluate[bool](other, corrects+`[0].focus() ?? true`)
	const top = `document.activeElement.getBoundingClientRect().top`
	evaluate[bool](b, `(() => {
		`+corrects+`[1].focus();
		document.scrollingElement.scrollTop = 200;
		return true;
	})()`)
	before := evaluate[float64](b, top)
	signs("bob@sandbox")
	b.until("Bob's state", func(context.Context) (bool, string) { return strings.Count(b.text(), "Correct") == 2, "" })
	b.resting("link Correct")
	if after := evaluate[float64](b, top); math.Abs(after-before) > 1 {
		t.Errorf("the focus moves from %g to %g", before, after)
	}
	if href := evaluate[string](b, `document.activeElement.getAttribute("href")`); !strings.HasSuffix(href, "/carol") {
		t.Errorf("the focus is on %s", href)
	}
	other.resting("heading Sent")

	b.open("/packages/" + id + "?ask=cancel")
	b.fill("Reason", "The pond sold.")
	b.press(strings.Repeat(kb.ArrowLeft, len("sold.")))
	signs("carol@sandbox")
	b.until("Carol's state", func(context.Context) (bool, string) { return strings.Count(b.text(), "Correct") == 1, "" })
	b.resting("textbox Reason")
	b.press("is ")
	hand{tab: b}.holdsEntry("Reason", "The pond is sold.")
	b.expect(http.StatusUnauthorized)
	other.expect(http.StatusUnauthorized)
	call(b, network.ClearBrowserCookies, cdp.Empty{})
	signs("alice@sandbox")
	b.holds(`performance.getEntriesByType("resource").some((e) => e.name.includes("live=yes") && e.redirectStart > 0)`)
	b.click("button", "Cancel this package")
	b.enter("alice@sandbox")
	b.there("heading", "Completed")
}

// Every state of the pages is accessible, and fits in every language.
func packagesAreForEverybody(t *testing.T, app *e2etest.App) {
	id := sent(t, app, inOrder("Lease of the tower", "carol@sandbox.example", "bob@sandbox.example"))
	later := sent(t, app, inOrder("Lease of the farm", "bob@sandbox.example", "carol@sandbox.example"))
	b := visit(t, app)
	b.expect(http.StatusBadRequest)
	b.signIn("carol@sandbox", "/")
	page, waiting := "/packages/"+url.PathEscape(id), "/packages/"+url.PathEscape(later)
	scenes := []scene{
		{"packages home", func() { b.open("/"); b.there("link", "1 package waits for you to sign") }},
		{"packages to sign", func() { b.open("/packages"); b.there("link", "Sign now") }},
		{"packages none", func() { b.open("/packages?tab=drafts"); b.there("link", "New package") }},
		{"package", func() { b.open(page); b.there("link", "Sign now") }},
		{"package later", func() { b.open(waiting); b.reads("It is not your turn yet"); b.missing("link", "Sign now") }},
		{"package cancel", func() { b.open(page); b.click("link", "Cancel this package"); b.there("link", "Go back") }},
		{"package cancel refused", func() { b.click("button", "Cancel this package"); b.says("alert", "Please check") }},
		{"package audit", func() { b.open(page + "/audit"); b.there("table", "") }},
		{"custom fields none", func() { b.open("/custom-fields"); b.there("link", "New custom field") }},
		{"custom fields new", func() { b.click("link", "New custom field"); b.there("textbox", "Identifier") }},
		{"custom fields refused", func() {
			b.fill("Value", "DE00")
			b.fill("Language", "english")
			b.click("button", "Save")
			b.resting("textbox Language")
		}},
		{"custom fields translations", func() {
			b.fill("Language", "en")
			b.fill("Name", "Account number")
			b.fill("Identifier", "iban")
			b.click("button", "Add a translation")
			b.there("group", "Translation")
		}},
		{"custom fields", func() { b.click("button", "Save"); b.there("link", "Edit") }},
		{"custom fields overwrite", func() {
			b.click("link", "New custom field")
			b.fill("Identifier", "iban")
			b.fill("Name", "Other")
			b.click("button", "Save")
			b.there("button", "Overwrite")
		}},
		{"custom fields delete", func() { b.click("link", "Go back"); b.click("link", "Delete"); b.there("heading", "Delete iban?") }},
	}
	b.display(scenes)
	b.wear(look{"narrowest", "light", 320})
	for _, language := range inTwo[1:] {
		b.speaks(language)
		for name, path := range map[string]string{
			"list": "/packages", "package": page, "cancel": page + "?ask=cancel", "audit": page + "/audit", "fields": "/custom-fields", "field": "/custom-fields?edit=iban",
		} {
			b.open(path)
			for _, finding := range slices.Concat(evaluate[[]string](b, layout), evaluate[[]string](b, cut)) {
				t.Errorf("%s %s: %s", language, path, finding)
			}
			b.photograph(language + " packages " + name)
		}
	}
}
