package browser_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// A person who types while files are on their way goes on typing where they were. The names of the
// files leave the list around them as it is.
func TestUpload_KeepsFocusWhileTyping(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "createPackage", "times": 1, "delay": "2s"})
	b.takes(upload{"lease \u202efdp.pdf", string(pdf.Text("Lease"))}, upload{"\u05d7\u05d5\u05d6\u05d4.pdf", string(pdf.Text("Lease"))})
	b.holds(`document.querySelector('#upload [data-part="names"]').textContent === "\u2068lease fdp.pdf\u2069, \u2068\u05d7\u05d5\u05d6\u05d4.pdf\u2069"`)
	b.click("textbox", "First name")
	b.press("To")
	b.reads("1 page")
	b.press("m")
	b.holds(`document.getElementById("r1.first_name").value === "Tom" && document.activeElement.id === "r1.first_name"`)
}

// A person says to whom a package goes and with which words: the message and the sentence
// above Send follow what is typed, an address brings its names, complaints lead to their
// inputs, and nothing is lost by loading the page again.
func TestSending_PreviewFollowsInput(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(http.StatusBadRequest)
	b.signIn("alice@sandbox", "/packages/new")
	b.fill("Name", "Mill")
	b.holds(`document.getElementById("message").value.endsWith("asks you to sign \"Mill\".")`)
	b.holds(`document.getElementById("due-hint").textContent.includes(Intl.DateTimeFormat().resolvedOptions().timeZone)`)
	b.fill("E-mail", "Tom Tenant <tom@sandbox.example>")
	b.holds(`["first_name", "last_name", "email"].map((name) => document.getElementById("r1." + name).value).join() === "Tom,Tenant,tom@sandbox.example"`)
	b.holds(`document.getElementById("invited").textContent === "When you send it, Tom is invited at once."`)
	b.click("button", "Add a recipient")
	b.resting("textbox First name")
	b.press("Lara")
	b.holds(`document.getElementById("invited").textContent === "When you send it, Tom and Lara are invited at once."`)
	b.click("checkbox", "Sign in this order")
	b.holds(`document.getElementById("invited").textContent === "When you send it, Tom is invited at once, Lara when Tom has signed."`)
	b.open("/packages/new")
	b.holds(`document.getElementById("r2.first_name")?.value === "Lara" && document.getElementById("in_order").checked && document.getElementById("name").value === "Mill"`)
	b.click("button", "Send")
	b.says("alert", "Recipient 2: enter the e-mail address")
	b.resting("button Choose files")
	for _, l := range append(slices.Clone(looks), look{"320", "light", 320}) {
		b.wear(l)
		b.examine("sending " + l.name)
	}
	b.wear(looks[0])
	b.do(chromedp.Click(`a[href="#r2.email"]`))
	b.holds(`document.activeElement.id === "r2.email"`)
	b.press("lara@sandbox.example")
	b.fill("Message to everyone", "Until Friday, please.")
	b.fill("Name", "The mill")
	b.holds(`document.getElementById("message").value === "Until Friday, please."`)
	evaluate[bool](b, `(document.getElementById("r2.last_name").value = "Landlord") !== ""`)
	b.speaks("de")
	b.open("/packages/new")
	b.holds(`document.getElementById("invited").textContent === "Beim Absenden wird Tom sofort eingeladen, Lara, sobald Tom unterschrieben hat."`)
	b.wear(look{"320", "light", 320})
	b.examine("sending de 320")
	b.wear(looks[0])
	b.photograph("sending de")
	b.speaks("en")
	b.open("/packages/new")
	b.holds(`document.getElementById("r2.email")?.value === "lara@sandbox.example"`)
	b.takes(upload{"lease.pdf", string(pdf.Text("Lease"))})
	b.holds(`location.pathname !== "/packages/new" && document.querySelector("a[href$='/pdf']") !== null`)
	evaluate[bool](b, `(document.getElementById("r2.last_name").value = "Landlord") !== ""`)
	b.click("button", "Send")
	b.says("status", "The package is sent.")
	b.reads("Lara Landlord")
	b.photograph("sending sent")
	b.click("button", "Save as template")
	b.says("status", "The template is saved")
	b.examine("sending templates")
	b.click("button", "Use")
	b.there("button", "Send")
	b.open("/packages?tab=drafts")
	b.click("checkbox", "The mill")
	b.examine("sending drafts")
	b.click("button", "Delete selected (1)")
	b.reads("Delete this package?")
	b.examine("sending delete")
	b.click("button", "Delete")
	b.says("status", "It is deleted.")
}

// Where the connection breaks while files are on their way, the page says so, and takes them again.
func TestUpload_ConnectionLost(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.signIn("alice@sandbox", "/packages/new")
	evaluate[bool](b, `(window.send = XMLHttpRequest.prototype.send, XMLHttpRequest.prototype.send = function () { this.dispatchEvent(new ProgressEvent("error")); }, true)`)
	b.takes(upload{"Lease.pdf", string(pdf.Text("Lease"))})
	b.says("alert", "This site could not be reached.")
	b.wear(look{"narrow", "light", 320})
	b.examine("files lost")
	evaluate[bool](b, `(XMLHttpRequest.prototype.send = window.send, true)`)
	b.takes(upload{"Lease.pdf", string(pdf.Text("Lease"))})
	b.reads("1 page")
	b.silent("This site could not be reached.")
}

// Who presses Send while a file is on its way, and the file does not arrive, reads why, and
// nothing is sent without it.
func TestSending_StopsWhenUploadFails(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(http.StatusServiceUnavailable)
	b.signIn("alice@sandbox", "/packages/new")
	b.takes(upload{"Lease.pdf", string(pdf.Text("Lease"))})
	b.reads("1 page")
	b.fill("First name", "Bob")
	b.fill("Last name", "Signer")
	b.fill("E-mail", "bob@sandbox.example")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	e2etest.Manage(t, app, "POST", "/faults", members{"operation": "createDocuments", "times": 0, "status": http.StatusServiceUnavailable, "delay": "1s"})
	b.takes(upload{"Annex.pdf", string(pdf.Text("Annex"))})
	b.click("button", "Send")
	b.says("alert", "This does not work right now")
	b.settle()
	b.there("button", "Send")
	id := strings.TrimPrefix(evaluate[string](b, "location.pathname"), "/packages/new/")
	if got := e2etest.Program(t, app).SignedIn("alice@sandbox").Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Text("status"); got != "DRAFT" {
		t.Errorf("it is %s", got)
	}
	b.says("alert", "This does not work right now")
}
