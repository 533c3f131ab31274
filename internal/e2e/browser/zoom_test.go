package browser_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// unbroken is a name of 80 letters without a place to break it.
var unbroken = strings.Repeat("W", 80)

// beyond lists what of a page ends outside the screen, outside of what has a scroll bar of its own.
const beyond = `(() => {
	const found = [];
	if (document.scrollingElement.scrollWidth > innerWidth) {
		found.push("the page is " + document.scrollingElement.scrollWidth + " wide");
	}
	const scrolls = (e) => e && (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
	for (const element of document.body.querySelectorAll("*")) {
		const box = element.getBoundingClientRect();
		if (element.checkVisibility() && box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && box.bottom + scrollY > 0 && !scrolls(element.parentElement)) {
			found.push(element.localName + "." + element.className + " from " + Math.round(box.left) + " to " + Math.round(box.right) + ": " + element.textContent.trim().slice(0, 40));
		}
	}
	return found;
})()`

// magnified shows pages at a zoom of 400 %, and then with text of 200 % as well.
func (b *tab) magnified(scenes []scene) {
	b.t.Helper()
	for _, s := range scenes {
		s.arrive()
		b.wear(look{"zoomed", "light", 320})
		for how, size := range map[string][2]int64{"by the browser": {100, 32}, "by a style": {200, 16}} {
			call(b, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: size[1], Fixed: size[1]}})
			b.holds(fmt.Sprintf(`(document.documentElement.style.fontSize = "%d%%") && getComputedStyle(document.documentElement).fontSize === "%dpx"`, size[0], size[0]*size[1]/100))
			for _, finding := range evaluate[[]string](b, beyond) {
				b.t.Errorf("%s, %s: %s", s.name, how, finding)
			}
			b.photograph("zoomed " + s.name + " " + how)
		}
		call(b, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 16, Fixed: 16}})
		b.holds(`(document.documentElement.style.fontSize = "100%") && getComputedStyle(document.documentElement).fontSize === "16px"`)
		b.wear(looks[0])
	}
}

// longNames sends a package of long names to Alice and Bob, and returns its path.
func longNames(t *testing.T, app *e2etest.App) string {
	t.Helper()
	for _, user := range []string{"alice", "bob"} {
		e2etest.Manage(t, app, "PUT", "/users/"+user+"@sandbox", members{"displayName": unbroken, "email": user + "@sandbox.example", "status": "active"})
	}
	payload := toSign()
	payload["name"], payload["description"], payload["status"] = unbroken, unbroken, "DRAFT"
	signer := func(user string) members {
		return members{"id": user, "signers": []any{members{"email": user + "@sandbox.example", "firstName": unbroken, "lastName": unbroken}}}
	}
	payload["roles"] = []any{signer("alice"), signer("bob")}
	for _, document := range payload["documents"].([]any) {
		document.(members)["name"] = unbroken
		document.(members)["approvals"].([]any)[0].(members)["role"] = "alice"
	}
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := alice.Send("POST", "/api/packages", payload).Want(http.StatusOK).Text("id")
	alice.Send("PUT", "/api/packages/"+id+"/roles/alice/proofs", members{"passkey": members{}}).Want(http.StatusOK)
	alice.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
	return "/packages/" + id
}

// Nothing of a page is cut off at a zoom of 400 % with text of 200 %, whatever people are
// called.
func TestPages_Magnified(t *testing.T) {
	app := e2etest.Boot(t)
	path := longNames(t, app)
	b := visit(t, app).plugIn().script(noSuggestions)
	for _, status := range []int{400, 403, 404} {
		b.expect(status)
	}
	for _, language := range inTwo[1:] { // the longest words
		b.speaks(language)
		b.magnified([]scene{
			{"sign-in in " + language, func() { b.open("/login") }},
			{"sign-in known in " + language, func() { b.press("alice@sandbox" + kb.Enter); b.holds(`document.getElementById("password") !== null`) }},
		})
	}
	b.speaks("en")
	b.magnified([]scene{
		{"start", func() { b.open("/") }},
		{"sign-in", func() { b.open("/login") }},
		{"sign-in known", func() { b.name("alice@sandbox") }},
	})
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	at := func(path string) func() { return func() { b.open(path) } }
	b.magnified([]scene{
		{"home", at("/")},
		{"passkey added", func() { b.open("/authenticators"); b.click("button", "Rename Passkey"); b.fill("Name", endless) }},
		{"passkeys", func() { b.click("button", "Save name"); b.there("heading", endless) }},
		{"passkey remove", func() { b.click("button", "Remove "+endless) }},
		{"account", at("/account")},
		{"activation password", func() { b.click("button", "Get an activation password") }},
		{"packages", at("/packages")},
		{"packages sent", at("/packages?tab=sent")},
		{"packages search", at("/packages?search=" + unbroken)},
		{"package", at(path)},
		{"package cancel", at(path + "?ask=cancel")},
		{"sign", at(path + "/sign")},
		{"proofs", at(path + "/proofs")},
		{"audit", at(path + "/audit")},
		{"not found", at("/nowhere/" + unbroken)},
		{"help", at("/errors/ceremony.spent")},
		{"new package", func() {
			b.open("/packages/new")
			b.fill("Name", unbroken)
			b.fill("First name", unbroken)
			b.takes(upload{unbroken + ".pdf", string(pdf.Text("Lease"))})
			b.there("button", "Remove")
		}},
		{"new field", func() { b.click("button", "Add a field"); b.there("combobox", "Kind") }},
		{"new saved", func() { b.click("button", "Save as draft") }},
		{"drafts", at("/packages?tab=drafts")},
	})
}

func TestOperatorPages_Magnified(t *testing.T) {
	app := e2etest.Boot(t)
	longNames(t, app)
	b := visit(t, app)
	b.expect(400)
	b.signIn("carol@sandbox", "/")
	at := func(path string) func() { return func() { b.open(path) } }
	b.magnified([]scene{
		{"operator home", at("/")},
		{"people", at("/people")},
		{"people found", at("/people?userID=ali")},
		{"person", at("/people/alice@sandbox")},
		{"person end", at("/people/alice@sandbox?ask=end-all")},
		{"packages of all", at("/packages")},
		{"custom field", func() {
			b.open("/custom-fields?new=yes")
			b.fill("Identifier", unbroken)
			b.fill("Value", unbroken)
			b.click("button", "Save")
		}},
		{"custom field wrong", func() { b.fill("Language", "en"); b.fill("Name", unbroken) }},
		{"custom fields", func() { b.click("button", "Save"); b.says("status", "saved") }},
		{"custom field edit", at("/custom-fields?edit=" + unbroken)},
		{"custom field delete", at("/custom-fields?delete=" + unbroken)},
		{"new verification", func() {
			b.open("/verifications/new")
			b.fill("First name", unbroken)
			b.fill("Last name", unbroken)
		}},
		{"verification", func() { b.click("button", "Start"); b.there("button", "Make a link") }},
		{"verification link", func() { b.click("button", "Make a link"); b.there("button", "Copy link") }},
		{"verifications", at("/verifications")},
	})
	b.speaks("de")
	b.magnified([]scene{
		{"verifications in German", at("/verifications")},
		{"verification in German", func() { b.click("link", "Identitätsprüfung von "+unbroken+" "+unbroken) }},
		{"new package in German", at("/packages/new")},
	})
}
