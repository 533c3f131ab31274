package browser_test

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// storages are scripts after which a tab keeps nothing for its next page, or holds what no page
// of ours has written.
var storages = map[string]string{
	"refused": `Object.defineProperty(window, "sessionStorage", {get() { throw new DOMException("", "SecurityError"); }})`,
	"foreign": `{
	const get = Storage.prototype.getItem;
	Storage.prototype.getItem = function (key) {
		return get.call(this, key) ?? "{";
	};
}`,
	"full later": `{
	const set = Storage.prototype.setItem;
	Storage.prototype.setItem = function (key, text) {
		if (text.length > 20) {
			throw new DOMException("", "QuotaExceededError");
		}
		set.call(this, key, text);
	};
}`,
}

// Without the tab's storage a package is prepared all the same, and what was typed is there
// again after a session that had ended: the server keeps it.
func TestPackage_PreparedWithoutTabStorage(t *testing.T) {
	app := e2etest.Boot(t)
	for name, script := range storages {
		t.Run(name, func(t *testing.T) {
			b := visit(t, app).script(script)
			b.signIn("alice@sandbox", "/packages/new")
			b.there("button", "Send")
			b.fill("Name", "Lease")
			b.takes(upload{"lease.pdf", string(pdf.Text("Lease"))})
			b.there("button", "Remove")
			b.fill("First name", "Bob")
			b.expect(401) // pictures that come into sight after the session has ended
			call(b, network.ClearBrowserCookies, cdp.Empty{})
			b.click("button", "Save as draft")
			b.enter("alice@sandbox")
			b.says("status", "Your session had ended, so this was not done. Please do it once more.")
			b.holds(`document.getElementById("name").value === "Lease" && document.getElementById("r1.first_name").value === "Bob"`)
			b.click("button", "Save as draft")
			b.says("status", "The draft is saved.")
		})
	}
}

// Passkeys are made, used and removed without it.
func TestPasskey_WithoutTabStorage(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(noSuggestions).script(storages["refused"])
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.signOut()
	b.click("link", "Sign in")
	b.name("alice@sandbox")
	b.click("button", "Sign in with a passkey")
	b.reads("Welcome, Alice")
}
