package browser_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// A person prepares a package by keyboard, reloads, is signed out on the way, moves a
// field and sends it: no input is lost, and every state is accessible.
func TestPackage_PreparedAcrossSignOut(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(400)
	b.signIn("alice@sandbox", "/packages/new")
	b.there("button", "Send")
	b.holds(`[document.querySelector(".drop label"), document.getElementById("files")].every((e) => { // whichever is clicked
		e.scrollIntoView({ block: "center" });
		const { x, y, width, height } = e.getBoundingClientRect();
		return e.contains(document.elementFromPoint(x + width / 2, y + height / 2));
	})`)
	b.fill("Name", "Lease")
	b.reach("textbox", "First name")
	b.press("Bob")
	b.do(chromedp.Reload())
	b.there("button", "Send")
	b.holds(`document.getElementById("name").value === "Lease" && document.getElementById("r1.first_name").value === "Bob"`)
	b.takes(upload{"lease.pdf", string(pdf.Text("Lease"))})
	b.there("button", "Remove")
	b.takes(upload{"terms.pdf", string(pdf.Text("Terms"))})
	b.there("button", "Move up")
	path := evaluate[string](b, "location.pathname")
	b.examine("compose two documents")
	b.reach("button", "Move up")
	b.press(kb.Enter)
	b.holds(`document.querySelector(".row").textContent.includes("terms.pdf")`)
	b.fill("Last name", "Builder")
	b.press("\t" + "bob@")
	b.click("button", "Send")
	b.says("alert", "This must be one e-mail address")
	b.resting("textbox E-mail")
	b.titled("Please check what you typed")
	b.examine("compose refused")
	b.open(path)
	b.fill("Phone", "+4915112345678") // typed before the session ends
	b.expect(401)                     // pictures that come into sight after it
	call(b, network.ClearBrowserCookies, cdp.Empty{})
	b.click("button", "Save as draft")
	b.enter("alice@sandbox")
	b.says("status", "Your session had ended, so this was not done. Please do it once more.")
	b.holds(`document.getElementById("r1.phone").value === "+4915112345678"`)
	b.fill("E-mail", "bob@sandbox.example")
	b.click("button", "Add a field")
	b.there("combobox", "Kind")
	b.movesAField()
	looked := evaluate[string](b, "location.pathname")
	b.composedForEverybody(looked)
	b.speaks("en")
	b.wear(looks[0])
	b.open(looked)
	b.settles(strings.TrimPrefix(looked, "/packages/new/"))
	b.sendsAgain()
	b.click("button", "Send")
	b.reads("Lease")
	b.holds(`location.pathname === ` + fmt.Sprintf("%q", "/packages/"+strings.TrimPrefix(looked, "/packages/new/")))
}

// composedForEverybody checks the page with a field for accessibility, in each look and
// language.
func (b *tab) composedForEverybody(path string) {
	b.t.Helper()
	for _, l := range append(looks, look{"320", "light", 320}) {
		b.wear(l)
		b.examine("compose field " + l.name)
	}
	for _, language := range inTwo[1:] {
		b.speaks(language)
		b.open(path)
		for _, finding := range slices.Concat(evaluate[[]string](b, layout), evaluate[[]string](b, cut), evaluate[[]string](b, covered)) {
			b.t.Errorf("%s: %s", language, finding)
		}
		b.photograph("compose " + language)
	}
}

// covered lists the labels of boxes whose last line stands on their hint.
const covered = `[...document.querySelectorAll(".check:has(.hint)")].filter((check) => {
	const written = document.createRange();
	written.selectNodeContents(check.querySelector("label"));
	return check.checkVisibility() && written.getBoundingClientRect().bottom > check.querySelector(".hint").getBoundingClientRect().top + 2;
}).map((check) => "on its hint: " + check.innerText)`

// settles replaces a draft that a program has changed meanwhile.
func (b *tab) settles(id string) {
	b.t.Helper()
	b.expect(http.StatusConflict)
	e2etest.Program(b.t, b.app).SignedIn("alice@sandbox").Send("PUT", "/api/packages/"+id, members{"name": "By a program"}).Want(http.StatusOK)
	b.click("button", "Save as draft")
	b.says("alert", "This draft was changed elsewhere")
	for _, l := range looks {
		b.wear(l)
		b.examine("compose outdated " + l.name)
	}
	b.wear(look{"320", "light", 320})
	b.speaks("de")
	b.open("/packages/new/" + id) // which is told so too
	b.examine("compose outdated 320 de")
	b.speaks("en")
	b.wear(looks[0])
	b.open("/packages/new/" + id)
	b.click("button", "Replace it")
	b.missing("button", "Replace it")
	b.holds(`document.getElementById("name").value === "Lease"`)
	b.settlesTabs()
}

// settlesTabs saves the draft in another tab while something is typed here, which a reload
// keeps, and which is then saved over the other.
func (b *tab) settlesTabs() {
	b.t.Helper()
	b.fill("Name", "Typed here")
	evaluate[bool](b, `(() => {
		const page = new XMLHttpRequest();
		page.open("GET", location.href);
		page.responseType = "document";
		page.onload = () => {
			const data = new FormData(page.response.getElementById("compose"));
			data.set("name", "Typed elsewhere");
			data.set("do", "save");
			fetch(location.href, { method: "POST", body: data }).then(() => document.body.dataset.saved = "elsewhere");
		};
		page.send();
		return true;
	})()`)
	b.holds(`document.body.dataset.saved === "elsewhere"`)
	b.do(chromedp.Reload())
	b.says("alert", "This draft was changed elsewhere")
	b.there("link", "Look at the newer version in a new window")
	b.holds(`document.getElementById("name").value === "Typed here" && document.querySelector("[data-field]") !== null`)
	b.click("button", "Replace it")
	b.says("status", "The draft is saved.")
	b.holds(`document.getElementById("name").value === "Typed here"`)
}

// sendsAgain saves the draft when the platform is back, from the page that kept the
// input.
func (b *tab) sendsAgain() {
	b.t.Helper()
	b.expect(http.StatusServiceUnavailable)
	b.expect(http.StatusBadGateway)
	b.fill("Name", "Lease of the mill")
	e2etest.Manage(b.t, b.app, "POST", "/faults", members{"operation": "getPackage", "times": 0, "status": http.StatusServiceUnavailable})
	b.click("button", "Save as draft")
	b.reads("Your entries are still on this page.")
	for _, l := range looks {
		b.wear(l)
		b.examine("compose unsaved " + l.name)
	}
	b.wear(looks[0])
	e2etest.Manage(b.t, b.app, "DELETE", "/faults", nil)
	b.click("button", "Try again")
	b.says("status", "The draft is saved.")
	b.holds(`document.getElementById("name").value === "Lease of the mill"`)
}

// movesAField moves the field on the outline by the arrow keys, and its numbers follow.
func (b *tab) movesAField() {
	b.t.Helper()
	b.holds(`document.querySelector(".spot").getAttribute("aria-label").includes("Full name")`)
	evaluate[bool](b, `document.querySelector(".spot").focus() ?? true`)
	b.press(kb.ArrowRight + kb.ArrowDown + kb.ArrowDown)
	if left, top := b.numberIn("Left"), b.numberIn("Top"); left != 199 || top != 398 {
		b.t.Errorf("it is moved to %v, %v", left, top)
	}
}
