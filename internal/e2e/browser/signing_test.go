package browser_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// lease is a document of one empty page.
const lease = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

type members = map[string]any

// toSign returns two documents that Bob has to sign, with every kind of control.
func toSign() members {
	file := base64.StdEncoding.EncodeToString([]byte(lease))
	at := func(top int, more members) members {
		field := members{"type": "INPUT", "left": 72, "width": 200, "height": 30, "top": top}
		maps.Copy(field, more)
		return field
	}
	return members{
		"name": "Lease of the mill", "status": "SENT",
		"roles": []any{members{"id": "tenant", "signers": []any{members{"email": "bob@sandbox.example", "firstName": "Bob", "lastName": "Baker"}}}},
		"documents": []any{
			members{"id": "lease", "name": "Lease", "base64Content": file, "approvals": []any{members{"role": "tenant", "fields": []any{
				at(300, members{"subtype": "CAPTURE", "type": "SIGNATURE"}),
				at(100, members{"name": "Account", "subtype": "TEXTFIELD", "validation": members{"required": true, "pattern": "^[0-9]{4}$", "errorMessage": "Four digits, please."}}),
				at(140, members{"subtype": "TEXTAREA"}),
				at(180, members{"name": "Monthly", "subtype": "RADIO", "validation": members{"group": "rent", "required": true, "errorMessage": "When do you pay?"}}),
				at(200, members{"name": "Yearly", "subtype": "RADIO", "validation": members{"group": "rent", "required": true, "errorMessage": "When do you pay?"}}),
				at(220, members{"name": "Pets", "subtype": "CHECKBOX"}),
				at(240, members{"name": "Colour", "subtype": "LIST", "validation": members{"enum": []any{"Red", "Blue"}}}),
				at(260, members{"subtype": "LABEL", "binding": "{signer.name}"}),
			}}}},
			members{"id": "annex", "name": "Annex", "base64Content": file, "approvals": []any{members{"role": "tenant", "fields": []any{
				at(100, members{"subtype": "FULLNAME", "type": "SIGNATURE"}),
			}}}},
		},
	}
}

// signingURL returns the address at which Bob signs a new package.
func signingURL(t *testing.T, app *e2etest.App) string {
	t.Helper()
	url, _ := invited(t, app, toSign())
	return url
}

// invited returns the address at which Bob signs a package, and a function that returns
// the text of one of its documents.
func invited(t *testing.T, app *e2etest.App, payload members) (url string, read func(document string) string) {
	t.Helper()
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	id := alice.Send("POST", "/api/packages", payload).Want(http.StatusOK).Text("id")
	url = bob.Send("GET", "/api/packages/"+id+"/roles/tenant/signingUrl", nil).Want(http.StatusOK).Text("url")
	return url, func(document string) string {
		t.Helper()
		file := bob.Send("GET", "/api/packages/"+id+"/documents/"+document+"/pdf", nil).Want(http.StatusOK).Body
		return pdftest.TextOf(t, file)
	}
}

// draws draws a stroke into the area of that name.
func (b *tab) draws(area string) {
	b.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	answer := tell[json.RawMessage](b, "image", area, `function() {
		this.scrollIntoView({block: "center", behavior: "instant"});
		const {x, y, width, height} = this.getBoundingClientRect();
		return {x, y, width, height};
	}`)
	if err := json.Unmarshal(answer, &box); err != nil {
		b.t.Fatal(err)
	}
	mouse := func(kind input.DispatchMouseEventType, x, y float64) {
		call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: box.X + x*box.Width, Y: box.Y + y*box.Height, Button: "left", ClickCount: 1})
	}
	mouse("mousePressed", 0.1, 0.2)
	mouse("mouseMoved", 0.5, 0.8)
	mouse("mouseReleased", 0.9, 0.2)
}

// fits checks a page of the sandbox for layout and accessibility.
func (b *tab) fits(name string) {
	b.t.Helper()
	for _, finding := range slices.Concat(evaluate[[]string](b, layout), b.axe()) {
		b.t.Errorf("%s: %s", name, finding)
	}
	b.photograph(name)
}

// A person signs with a mouse; errors are shown beside the fields, and the focus is on
// the first one.
func TestSigningPage_ErrorsBesideFields(t *testing.T) {
	app := e2etest.Boot(t)
	url := signingURL(t, app)
	b := visit(t, app)
	b.do(chromedp.Navigate(url))
	b.there("button", "Accept")
	b.there("button", "Decline")
	b.fits("signing consent")
	b.click("button", "Accept")
	b.there("heading", "Lease")
	b.there("link", "Open Lease")
	b.missing("button", "Finish")

	b.expect(http.StatusUnprocessableEntity)
	b.fill("Account", "12")
	b.click("button", "Sign")
	b.says("alert", "Four digits, please.")
	b.resting("textbox Account")
	b.there("RootWebArea", "Error: Lease of the mill")
	b.says("alert", "When do you pay?")
	b.says("alert", "Draw your signature, or type your name.")
	if got := b.described(); got != "Four digits, please." {
		t.Errorf("the field is described by %q", got)
	}
	for _, l := range append(looks, look{"narrowest", "light", 320}) {
		b.wear(l)
		b.fits("signing refused " + l.name)
	}
	b.wear(looks[0])
	b.fill("Account", "1234")
	b.click("radio", "Yearly")
	b.click("checkbox", "Pets")
	b.draws("Draw your signature")
	b.click("button", "Sign")
	b.there("heading", "Annex")
	b.click("button", "Sign")
	b.says("status", "You have signed")
	b.click("button", "Finish")
	b.missing("button", "Finish")
	b.says("status", "You have signed")
	b.there("link", "Finished PDF: Lease")
	b.fits("signing done")
	if back := tell[string](b, "link", "Back to Countersign", `function() { return this.href }`); !strings.HasPrefix(back, app.URL()+"/packages/") {
		t.Errorf("it leads back to %s", back)
	}
}

// With scripts, a condition takes effect at once.
func TestSigningPage_ConditionsApplyAtOnce(t *testing.T) {
	app := e2etest.Boot(t)
	payload := toSign()
	fields := payload["documents"].([]any)[0].(members)["approvals"].([]any)[0].(members)["fields"].([]any)
	fields[2].(members)["name"], fields[2].(members)["id"], fields[5].(members)["id"] = "Which", "which", "pets"
	payload["conditions"] = []any{members{"id": "c", "condition": "document['lease'].field['pets'].value == 'X'", "action": "document['lease'].field['which'].disabled = false"}}
	url, _ := invited(t, app, payload)
	b := visit(t, app)
	b.do(chromedp.Navigate(url))
	b.click("button", "Accept")
	b.there("heading", "Lease")
	disabled := func(want bool) {
		t.Helper()
		if got := tell[bool](b, "textbox", "Which", `function() { return this.disabled }`); got != want {
			t.Errorf("disabled is %t, want %t", got, want)
		}
	}
	disabled(true)
	b.click("checkbox", "Pets")
	disabled(false)
	b.fill("Which", "A cat")
	b.click("checkbox", "Pets")
	disabled(true)
}

// signInSight are the rules of the page on which a document is signed.
var signInSight = []measured{
	{"sign is in the window everywhere", rule(`for (let y = 0; y <= document.scrollingElement.scrollHeight; y += innerHeight / 2) {
		scrollTo({top: y, behavior: "instant"});
		const sign = document.querySelector("button[value=sign]");
		if (!whole(sign)) found.push("at " + y + " it is at " + box(sign).top);
	}
	const last = box(document.querySelector("main").lastElementChild);
	if (last.bottom > box(document.querySelector(".sign")).top) found.push("it covers the end of the page")`)},
	{"a field on a page leads to its input", rule(`for (const place of document.querySelectorAll("svg [data-for]")) {
		scrollTo({top: 0, behavior: "instant"});
		place.dispatchEvent(new MouseEvent("click", {bubbles: true}));
		if (document.activeElement.id !== place.dataset.for || !whole(document.activeElement)) found.push(place.dataset.for + " is not in sight");
	}`)},
}

// A signer has Sign in sight on a desk and on a phone, and a field on a page leads to
// its input.
func TestSigningPage_SignButtonInSight(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.do(chromedp.Navigate(signingURL(t, app)))
	b.click("button", "Accept")
	b.there("button", "Sign")
	for _, l := range prepared {
		b.wearHigh(l.look, l.high)
		b.do(chromedp.Reload())
		b.there("button", "Sign")
		b.view("sign " + l.name)
		b.obey("signing "+l.name, signInSight...)
		b.fits("signing " + l.name)
	}
}
