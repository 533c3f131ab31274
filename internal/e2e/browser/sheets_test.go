package browser_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// pagesOf returns a document whose pages say these texts, and which has a page without any.
func pagesOf(texts ...string) []byte {
	var kids, objects strings.Builder
	for i, text := range append(texts, "") {
		content := ""
		if text != "" {
			content = fmt.Sprintf("BT /F 14 Tf 72 700 Td (%s) Tj ET", text)
		}
		fmt.Fprintf(&kids, "%d 0 R ", 10+2*i)
		fmt.Fprintf(&objects, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>endobj\n%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 10+2*i, 11+2*i, 11+2*i, len(content), content)
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[%s]/Count %d>>endobj\n3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n%strailer<</Root 1 0 R>>\n%%%%EOF\n",
		kids.String(), len(texts)+1, objects.String())
}

// A signer reads the pages in the package's page: each is as wide as a phone's screen, gets
// larger, has its text, and is jumped to; where a picture fails, the page says so.
func TestPackagePage_ShowsDocumentPages(t *testing.T) {
	app := e2etest.Boot(t, "OPERATORS=carol@sandbox")
	p := inOrder("Lease of the mill", "bob@sandbox.example", "carol@sandbox.example")
	document := p["documents"].([]any)[0].(members)
	document["name"], document["base64Content"] = "Lease.pdf", base64.StdEncoding.EncodeToString(pagesOf("The rent is due on the first.", "The roof is new."))
	id := sent(t, app, p)
	b := visit(t, app)
	b.signIn("bob@sandbox", "/packages/"+id)
	b.missing("image", "QR code of this page’s address")
	b.click("DisclosureTriangle", "Sign on your phone")
	b.there("image", "QR code of this page’s address")
	b.display([]scene{
		{"package pages", func() {
			b.open("/packages/" + id)
			b.there("image", "Page 1 of Lease")
			b.holds(`[...document.querySelectorAll(".picture img")][0].naturalWidth > 0`)
		}},
		{"package pages larger", func() { b.open("/packages/" + id + "?zoom=200") }},
	})

	b.wear(look{"phone", "light", 360})
	b.open("/packages/" + id)
	b.missing("DisclosureTriangle", "Sign on your phone")
	b.holds(`(() => { const box = document.querySelector(".picture img").getBoundingClientRect(); return box.left === 0 && box.width === innerWidth; })()`)
	before := evaluate[float64](b, `document.querySelector(".picture img").getBoundingClientRect().height`)
	b.there("group", "Size of the pages")
	b.click("button", "Larger")
	b.says("status", "150%")
	b.holds(fmt.Sprintf(`Math.abs(document.querySelector(".picture img").getBoundingClientRect().height - 1.5 * %g) < 2`, before))
	b.holds(`document.scrollingElement.scrollWidth <= innerWidth`)
	for range 5 {
		b.click("button", "Smaller")
	}
	b.says("status", "50%")

	b.click("link", "Page 2")
	b.holds(`document.activeElement.id === "sheet-0-2" && document.activeElement.getBoundingClientRect().top < innerHeight`)
	open := func(page int) {
		evaluate[bool](b, fmt.Sprintf(`document.querySelector("#sheet-0-%d summary").click() ?? true`, page))
	}
	open(2)
	b.reads("The roof is new.")
	b.silent("The rent is due on the first.")
	open(3)
	b.reads("This page has no text.")

	b.expect(http.StatusUnprocessableEntity)
	b.expect(http.StatusNotFound)
	evaluate[bool](b, `(document.querySelector("#sheet-0-1 img").srcset = location.pathname + "/documents/lease/pages/9.png") && true`)
	b.reads("This page cannot be shown here.")
	b.there("link", "Open the file")

	b.withoutScripts()
	b.open("/packages/" + id)
	b.click("button", "Larger")
	b.says("status", "150%")
}

// The signing page shows the pages too, with the signer's fields in their places.
func TestSigningPage_ShowsDocumentPages(t *testing.T) {
	app := e2etest.Boot(t)
	p := inOrder("Lease of the mill", "bob@sandbox.example")
	p["documents"].([]any)[0].(members)["base64Content"] = base64.StdEncoding.EncodeToString(pagesOf("The rent is due on the first."))
	id := sent(t, app, p)
	b := visit(t, app)
	b.signIn("bob@sandbox", "/packages/"+id)
	b.click("link", "Sign now")
	b.click("button", "Accept")
	for _, l := range looks {
		b.wear(l)
		b.there("image", "Page 1 of Lease")
		b.holds(`document.querySelector(".picture img").naturalWidth > 0`)
		for _, finding := range b.axe() {
			t.Errorf("%s: %s", l.name, finding)
		}
	}
	b.holds(`(() => {
		const page = document.querySelector(".picture img").getBoundingClientRect(), field = document.querySelector(".picture rect").getBoundingClientRect();
		return Math.abs((field.left - page.left) / page.width - 72 / 595) < 0.01 && Math.abs((field.top - page.top) / page.height - 100 / 842) < 0.01;
	})()`)
}
