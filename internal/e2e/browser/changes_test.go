package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	sandboxpdf "countersign/internal/sandbox/pdf"
)

// What was done to fields can be undone after the draft is saved and changed otherwise, and a
// text is found in all documents.
func TestUndo_AfterDraftSaved(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"lease.pdf", string(sandboxpdf.Text("Lease", "", "Tenant:"))})
	b.there("image", "Page 1 of lease")
	b.click("button", "Text")
	b.clickPage("Page 1 of lease", 300, 300)
	b.click("button", "Initials")
	b.clickPage("Page 1 of lease", 300, 500)
	b.resting("button Initials 1, Initials, Recipient 1, page 1")
	b.press(kb.Delete)
	b.missing("button", "Initials 1, Initials, Recipient 1, page 1")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.click("button", "Add a recipient")
	b.there("group", "Recipient 2")
	b.click("button", "Undo")
	b.there("button", "Initials 1, Initials, Recipient 1, page 1")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.there("button", "Initials 1, Initials, Recipient 1, page 1")
	b.takes(upload{"terms.pdf", string(sandboxpdf.Text("Terms", "", "", "Landlord:", "Tenant:"))})
	b.there("image", "Page 1 of terms")
	b.click("button", "Undo")
	b.missing("button", "Initials 1, Initials, Recipient 1, page 1 of lease")
	b.click("button", "Text 1, Text, Recipient 1, page 1 of lease")

	b.fill("Place it by a text", "Landlord:")
	b.there("button", "1 of 1 on page 1 of terms")
	b.there("button", "Text 1, Text, Recipient 1, page 1 of terms")
	b.fill("Place it by a text", "Tenant:")
	b.there("button", "2 of 2 on page 1 of terms")
	b.click("button", "1 of 2 on page 1 of lease")
	b.there("button", "Text 1, Text, Recipient 1, page 1 of lease")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.there("button", "Text 1, Text, Recipient 1, page 1 of lease")

	// A person who comes back sees what the page says, and nothing older that the browser knows.
	const kind = `document.querySelector('.settings select[name$=".kind"]')`
	b.do(chromedp.Evaluate[chromedp.Void](`addEventListener("pagehide", () => sessionStorage.clear()); ` + kind + `.value = "initials"; undefined`))
	b.open("/account")
	b.there("heading", "Your account")
	b.do(chromedp.NavigateBack())
	b.there("button", "Text 1, Text, Recipient 1, page 1 of lease")
	b.holds(`document.readyState === "complete" && ` + kind + `.selectedOptions[0].textContent === "Text"`)

	b.holds(`document.querySelector('[value^="remove:"]').click() ?? true`) // the first document's
	b.missing("image", "Page 1 of lease")
	if off := tell[string](b, "button", "Undo", `function() { return this.ariaDisabled }`); off != "true" {
		t.Error("Undo can be pressed, and would do nothing")
	}
}
