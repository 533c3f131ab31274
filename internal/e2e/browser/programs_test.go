package browser_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// A person in New York looks at what a program has prepared, and saves it as it is: what no form
// edits is shown and cannot be moved, and the day is one of their own calendar.
func TestBrowserAProgramsDraftIsSaved(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	type object = map[string]any
	field := func(id, name, kind, subtype string, top int) object {
		return object{"id": id, "name": name, "type": kind, "subtype": subtype, "page": 0, "left": 60, "top": top, "width": 140, "height": 30, "value": "EUR 900"}
	}
	id := c.Send("POST", "/api/packages", object{
		"name": "Lease", "status": "DRAFT", "due": "2131-06-15T03:59:59Z",
		"roles": []object{{"id": "one", "signers": []object{{"firstName": "Bob", "lastName": "Builder", "email": "bob@sandbox.example"}}}},
		"documents": []object{{
			"id": "lease", "name": "lease.pdf", "base64Content": base64.StdEncoding.EncodeToString(pdf.Text("Lease")),
			"approvals": []object{
				{"id": "a", "role": "one", "fields": []object{field("sign", "", "SIGNATURE", "FULLNAME", 60), field("when", "When", "INPUT", "DATEPICKER", 120), field("rent", "Rent", "INPUT", "TEXTFIELD", 180)}},
				{"id": "accept", "role": "one", "fields": []object{}},
			},
		}},
	}).Want(http.StatusOK).Text("id")
	held := func() string {
		_, after, _ := strings.Cut(string(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body), `"documents":`)
		return after
	}
	before := held()
	b := visit(t, app)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/New_York"})
	b.signIn("alice@sandbox", "/packages/new/"+id)
	b.holds(`document.getElementById("due").value === "2131-06-14"`)
	b.click("button", "When, DATEPICKER, Bob Builder, page 1")
	b.holds(`document.querySelector(".spot.chosen .spot-name").textContent === "When" && !document.querySelector(".spot.chosen .handle")`)
	for _, l := range looks {
		b.wear(l)
		b.examine("program's draft " + l.name)
	}
	b.view("program's draft")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.holds(`document.getElementById("due").value === "2131-06-14"`)
	if after := held(); after != before {
		t.Errorf("it becomes\n%s, was\n%s", after, before)
	}
}
