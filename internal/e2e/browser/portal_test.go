package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// A package of two documents is prepared, sent to two people in order, signed by both and
// downloaded, only by the names of the pages' controls: with the pointer on a narrow phone in
// German, but for the second signer, who has the keyboard alone and English.
func TestPortal_PrepareSendSignDownload(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed: nothing reads the finished documents")
	}
	app := e2etest.Boot(t)
	alice, bob, carol := visit(t, app), visit(t, app), visit(t, app)
	alice.signIn("alice@sandbox", "/")
	bob.signIn("bob@sandbox", "/")
	carol.signIn("carol@sandbox", "/")
	phone, keys := portal{language: "de", width: 320}, portal{language: "en", width: 1280, keyboard: true}
	sender := phone.at(alice)
	phone.prepares(sender)
	phone.signs(phone.at(bob), "Given name", "R2D2", "Letters, please.", "Robert")
	keys.signs(keys.at(carol), "Account", "Forty-two", "A number, please.", "42")
	sender.there("heading", phone.word("Completed")) // updated by itself
	for document, value := range map[string]string{"lease.pdf": "Robert", "annex.pdf": "42"} {
		if text := phone.downloads(sender, document); !strings.Contains(text, value) {
			t.Errorf("no %s in %s: %q", value, document, text)
		}
	}
}

// at begins at the home page.
func (p portal) at(b *tab) hand {
	b.t.Helper()
	b.speaks(p.language)
	b.wear(look{"portal", "light", p.width})
	b.open("/")
	return hand{tab: b, keyboard: p.keyboard}
}

// prepares makes the package and sends it, with one wrong entry on the way.
func (p portal) prepares(h hand) {
	h.t.Helper()
	if p.width < 400 {
		h.presses("button", p.word("Menu"))
	}
	h.presses("link", p.word("Packages"))
	h.presses("link", p.word("New package"))
	h.types(p.word("Name"), "Lease")
	h.takes(form("lease.pdf", "Given name"), form("annex.pdf", "Account"))
	p.finds(h, "Account")
	p.names(h.in(p.word("Recipient 1")), "Bob", "Baker", "bob at sandbox")
	h.presses("button", p.word("Add a recipient"))
	h.resting("textbox " + p.word("First name"))
	p.names(h.in(p.word("Recipient 2")), "Carol", "Cook", "carol@sandbox.example")
	h.presses("checkbox", p.word("Sign in this order"))
	p.chooses(h, "Given name")
	p.asks(h.in("Given name"), "Bob Baker", "Letters", "Letters, please.")
	p.chooses(h, "Account")
	p.asks(h.in("Account"), "Carol Cook", "Number", "A number, please.")
	h.expect(http.StatusBadRequest)
	h.presses("button", p.word("Send"))
	h.resting("textbox " + p.word("E-mail"))
	if first := h.in(p.word("Recipient 1")); !first.is(first.only("textbox", p.word("E-mail")), focused) || h.described() != p.word("This must be one e-mail address and nothing else.") {
		h.t.Fatalf("the wrong entry is described by %q", h.described())
	}
	for _, kept := range [][2]string{{"Name", "Lease"}, {"Last name", "Baker"}, {"Last name", "Cook"}} {
		h.holdsEntry(p.word(kept[0]), kept[1])
	}
	for field, message := range map[string]string{"Given name": "Letters, please.", "Account": "A number, please."} {
		p.chooses(h, field)
		h.in(field).holdsEntry(p.word("Message"), message)
	}
	p.names(h.in(p.word("Recipient 1")), "", "", "bob@sandbox.example")
	h.presses("button", p.word("Send"))
	h.there("heading", "Lease")
	h.there("heading", p.word("Sent"))
}

// finds returns what a field that is found in a document is called on its page.
func (portal) finds(h hand, field string) (name string) {
	h.t.Helper()
	spot := fmt.Sprintf(`document.querySelector('.spot[aria-label^="%s"]')?.getAttribute("aria-label") ?? ""`, field)
	h.until("the field "+field+" on its page", func(context.Context) (bool, string) {
		name = evaluate[string](h.tab, spot)
		return name != "", ""
	})
	return name
}

// chooses opens the settings of a field that is found in a document, from its page.
func (p portal) chooses(h hand, field string) {
	h.t.Helper()
	h.presses("button", p.finds(h, field))
	h.there("group", field)
}

// names enters a recipient's names and address; an empty one is left as it is.
func (p portal) names(h hand, first, last, email string) {
	h.t.Helper()
	for _, in := range [][2]string{{"First name", first}, {"Last name", last}, {"E-mail", email}} {
		if in[1] != "" {
			h.types(p.word(in[0]), in[1])
		}
	}
}

// asks sets a field's recipient and check.
func (p portal) asks(h hand, recipient, check, message string) {
	h.t.Helper()
	h.picks(p.word("Recipient"), recipient)
	h.presses("checkbox", p.word("Required"))
	h.picks(p.word("Check"), p.word(check))
	h.types(p.word("Message"), message)
}

// signs signs the waiting package, with one wrong value on the way, and comes back.
func (p portal) signs(h hand, field, wrong, message, value string) {
	h.t.Helper()
	h.presses("link", p.word("1 package waits for you to sign"))
	h.presses("link", "Lease")
	h.presses("link", p.word("Sign now"))
	h.presses("button", p.word("Accept"))
	h.types(field, wrong)
	h.expect(http.StatusUnprocessableEntity)
	h.presses("button", p.word("Sign"))
	h.says("alert", message)
	h.resting("textbox " + field)
	h.types(field, value)
	h.presses("button", p.word("Sign"))
	h.says("status", p.word("You have signed"))
	h.presses("button", p.word("Finish"))
	h.missing("button", p.word("Finish")) // the previous page has the link too
	h.presses("link", p.word("Back to Countersign"))
	h.there("heading", "Lease")
	h.missing("link", p.word("Sign now"))
}

// downloads returns the text that an independent program reads in the finished document.
func (p portal) downloads(h hand, document string) string {
	h.t.Helper()
	folder := h.t.TempDir()
	call(h.tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: "allow", BrowserContextID: chromedp.FromContext(h.ctx).BrowserContextID, DownloadPath: folder,
	})
	h.in(document).presses("link", p.word("Finished PDF"))
	var text []byte
	e2etest.Eventually(h.t, "the finished "+document, func() bool {
		files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
		if err != nil || len(files) != 1 {
			return false
		}
		text, err = exec.Command("pdftotext", files[0], "-").Output()
		return err == nil
	})
	return string(text)
}
