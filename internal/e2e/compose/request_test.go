package compose_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A recipient is asked for a file, with a name; without one nothing is asked for.
func aRecipientIsAskedForAFile(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").has("Ask for a file").set("name", "Lease").set(firstIsAlice...).choose("lease.pdf", document("Lease")).follow("keep")
	p.set("r1.file_about", "Both sides.", "r1.file_required", "yes")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="r1.file_name-wrong"`, "Both sides.")
	p.set("r1.file_name", "Passport").follow("save").has(`value="Passport"`, `value="Both sides."`)
	p.set("r1.file_name", "", "r1.file_about", "", "r1.file_required", "").follow("save")
	p.set("r1.file_name", "Passport <old>", "r1.file_about", "Both sides.", "r1.file_required", "yes")
	p.press("send").Want(http.StatusSeeOther)
	asked := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body)
	for _, want := range []string{`"attachmentRequirements":[{`, `"description":"Both sides."`, `"required":true`} {
		if !strings.Contains(asked, want) {
			t.Errorf("the package lacks %s: %s", want, asked)
		}
	}
	if shown := string(c.Page("/packages/" + p.id()).Want(http.StatusOK).Body); !strings.Contains(shown, "Passport &lt;old&gt;") || !strings.Contains(shown, "Not attached yet") {
		t.Errorf("the package's page does not ask for it: %s", shown)
	}
	// A correction leaves it as it is.
	c.Post("/packages/"+p.id()+"/recipients/recipient-1", "r1.first_name", "Alice", "r1.last_name", "Baker", "r1.email", "alice@sandbox.example", "r1.by_email", "yes").Want(http.StatusSeeOther)
	if again := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body); !strings.Contains(again, `"description":"Both sides."`) {
		t.Errorf("after a correction: %s", again)
	}
}
