// Package compose_test prepares packages by the pages' forms, without scripts, and opens their
// signing pages with the proofs that they ask for.
package compose_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	if pdftest.Serve() {
		return
	}
	os.Exit(m.Run())
}

func TestComposing_PackagesAndDrafts(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t), aPackageIsSent, aDraftIsKept, aRecipientIsCorrected, aRecipientIsAskedForAFile, aDoubleSubmitCountsOnce, aCopyIsPrepared,
		aLostAnswerMakesOneDraft, remindersOfAProgram, complaintsLeadToTheirInputs,
		whatIsTypedMakesNoDraft, draftsAreDeleted, aPackageIsSavedAsATemplateAndUsed, savingAsksLittle,
	)
}

// A person makes a package of two documents for two people, with one wrong entry on the
// way, and sends it.
func aPackageIsSent(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").has("New package", "Add a recipient", "Sign in this order")
	p.set("name", "Lease", "r1.first_name", "Bob", "r1.last_name", "Builder", "r1.email", "bob@").choose("lease.pdf", document("Lease")).choose("terms.pdf", document("Terms"))
	p.follow("add-files").has("lease.pdf", "terms.pdf", `value="bob@"`, "Move up", "Move down")
	p.follow("down:d2")
	if strings.Index(p.body, "terms.pdf") > strings.Index(p.body, "lease.pdf") {
		t.Error("the documents have not changed places")
	}
	p.follow("add-recipient").set("r4.first_name", "Carol", "r4.last_name", "Clerk", "r4.email", "carol@sandbox.example", "r4.by_sms", "yes", "in_order", "yes")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="r1.email-wrong"`, `id="r4.phone-wrong"`, "lease.pdf", `value="Carol"`, "<title>Please check")
	if n := strings.Count(p.body, "autofocus"); n != 1 {
		t.Errorf("%d have the focus", n)
	}
	id := p.id()
	p = open(t, c, p.path).has(`value="bob@"`, "terms.pdf") // a reload loses nothing
	p.set("r1.email", "bob@sandbox.example", "r4.phone", "+4915112345678")
	to := p.press("send").Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/packages/"+url.PathEscape(id)+"?") {
		t.Errorf("it leads to %s", to)
	}
	made := c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK)
	for _, text := range []string{`"status":"SENT"`, `"name":"Lease"`, `"email":"bob@sandbox.example"`, `"index":2`, `"subtype":"FULLNAME"`, `"SMS"`} {
		if !strings.Contains(string(made.Body), text) {
			t.Errorf("the package lacks %s: %s", text, made.Body)
		}
	}
	if strings.Contains(string(made.Body), "countersign") {
		t.Errorf("the package shows what is ours: %s", made.Body)
	}
	// It is not a draft any more.
	if to := c.Page(p.path).Want(http.StatusSeeOther).Header.Get("Location"); to != "/packages/"+url.PathEscape(id) {
		t.Errorf("it leads to %s", to)
	}
}

var wrong = regexp.MustCompile(`id="[a-z0-9._]+-wrong"`)

// A draft is saved even if it is incomplete, keeps wrong values, and is its owner's
// alone.
func aDraftIsKept(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set("name", "Half", "r1.first_name", "Bob").follow("save")
	p.has("The draft is saved.", `value="Half"`, `value="Bob"`)
	p.set("r1.email", "nobody").take(p.press("save").Want(http.StatusBadRequest))
	if found := wrong.FindAllString(p.body, -1); !slices.Equal(found, []string{`id="r1.email-wrong"`}) {
		t.Errorf("wrong are %q", found)
	}
	open(t, c, p.path).has(`value="nobody"`)
	listed := c.Send("GET", "/api/packages", nil).Want(http.StatusOK)
	if !strings.Contains(string(listed.Body), `"name":"Half"`) || strings.Contains(string(listed.Body), "countersign") {
		t.Errorf("the list is %s", listed.Body)
	}
	outsider := e2etest.Browser(t, app).SignedIn("bob@sandbox")
	unknown := outsider.Page("/packages/new/unknown").Want(http.StatusNotFound)
	theirs := outsider.Page(p.path).Want(http.StatusNotFound)
	if mask(unknown) != mask(theirs) {
		t.Error("somebody else's draft is told from one that is not there")
	}
	outsider.Post(p.path, "do", "save").Want(http.StatusNotFound)
	if to := e2etest.Browser(t, app).Page(p.path).Want(http.StatusSeeOther).Header.Get("Location"); to != "/login?next="+url.QueryEscape(p.path) {
		t.Errorf("signed out it leads to %s", to)
	}
}

var requestID = regexp.MustCompile(`<code[^>]*>[^<]*</code>|nonce="[^"]*"|/packages/new/[^"]*|%2Fpackages%2Fnew%2F[^"&]*`)

func mask(r e2etest.Reply) string { return requestID.ReplaceAllString(string(r.Body), "") }

// A recipient who has not signed is corrected on a page of their own, by a person who can
// change the package.
func aRecipientIsCorrected(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set("name", "Lease").set(firstIsAlice...).choose("lease.pdf", document("Lease")).follow("keep")
	p.press("send").Want(http.StatusSeeOther)
	path := "/packages/" + url.PathEscape(p.id()) + "/recipients/recipient-1"
	page := string(c.Page(path).Want(http.StatusOK).Body)
	for _, text := range []string{"Correct a recipient", `value="Archer"`, ">Save<"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q: %s", text, page)
		}
	}
	fields := []string{"r1.first_name", "Alice", "r1.last_name", "Baker", "r1.email", "alice@", "r1.by_email", "yes"}
	if r := c.Post(path, fields...).Want(http.StatusBadRequest); !strings.Contains(string(r.Body), `id="r1.email-wrong"`) {
		t.Errorf("the address is not said to be wrong: %s", r.Body)
	}
	fields[5] = "baker@sandbox.example"
	c.Post(path, fields...).Want(http.StatusSeeOther)
	made := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body)
	if !strings.Contains(made, `"email":"baker@sandbox.example"`) || !strings.Contains(made, `"lastName":"Baker"`) {
		t.Errorf("the recipient is %s", made)
	}
	c.Post("/packages/"+p.id(), "action", "cancel", "reason", "Sold.").Want(http.StatusSeeOther)
	if r := c.Page(path).Want(http.StatusConflict); !strings.Contains(string(r.Body), `href="/packages/`+p.id()+`">Go to the package</a>`) {
		t.Errorf("nothing leads to the package: %s", r.Body)
	}
	outsider := e2etest.Browser(t, app).SignedIn("bob@sandbox")
	outsider.Page(path).Want(http.StatusNotFound)
	outsider.Post(path, fields...).Want(http.StatusNotFound)
	c.Page("/packages/" + url.PathEscape(p.id()) + "/recipients/nobody").Want(http.StatusNotFound)
}

// Fields are found in the PDF and assigned, or placed by numbers or by a text; impossible
// values get an error beside their input.
func fieldsArePlaced(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set("name", "Form").set(firstIsAlice...).choose("form.pdf", formPDF).follow("add-files")
	p.has("<legend id=\"f3-name\">Given Name</legend>", "Check", "Message", "Required", `data-found`, `alt="Page 1 of form"`, `readonly value="Given Name"`)
	p.set("f3.recipient", "r1", "f3.check", "letters", "f3.message", "Letters alone", "f3.required", "yes")
	p.follow("add-field").has(`>Full name 1</legend>`, `value="50"`, "Left", "Top")
	p.set("f4.kind", "initials", "f4.left", "x", "f4.page", "7")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="f4.left-wrong"`, `id="f4.page-wrong"`)
	p.set("f4.left", "10", "f4.page", "1", "f4.anchor", "nowhere to be found")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="f4.anchor-wrong"`)
	p.set("f4.anchor", "").press("send").Want(http.StatusSeeOther)
	made := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body)
	for _, text := range []string{`"extract":true`, `"name":"Given Name"`, `"pattern":"^[\\sa-zA-Z]+$"`, `"errorMessage":"Letters alone"`, `"subtype":"INITIALS"`, `"left":10`} {
		if !strings.Contains(made, text) {
			t.Errorf("the package lacks %s: %s", text, made)
		}
	}
}

// Unreadable files are refused with a message, and nothing else in the form is lost.
func TestFiles_UnreadableRefused(t *testing.T) {
	app := e2etest.Boot(t, "MAX_UPLOAD=1MiB")
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	encrypted := string(pdftest.Encrypted)
	for content, says := range map[string]string{
		"%PDF-1.7 broken":              "damaged",
		"\x00\x01 nothing known":       "This must be a PDF",
		encrypted:                      "wrong",
		strings.Repeat("text ", 1<<18): "too large",
	} {
		p := open(t, c, "/packages/new").set("name", "Kept").choose("file.pdf", content)
		p.take(p.press("add-files").Want(http.StatusBadRequest))
		p.has(`id="files-wrong"`, says, `value="Kept"`)
		open(t, c, p.path).has(`value="Kept"`)
	}
}

// A button pressed twice acts once.
func aDoubleSubmitCountsOnce(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set("name", "Once").choose("a.txt", "text")
	contentType, body := p.form("add-files")
	places := make(chan string, 2)
	for range cap(places) {
		go func() {
			r := c.Send("POST", p.path, body, "Content-Type", contentType, "Accept", "text/html")
			places <- r.Header.Get("Location")
		}()
	}
	first, second := <-places, <-places
	first, _, _ = strings.Cut(first, "#")
	second, _, _ = strings.Cut(second, "#")
	if first == "" || first != second {
		t.Fatalf("they lead to %q and %q", first, second)
	}
	p = open(t, c, first)
	if n := strings.Count(p.body, `class="row-main`); n != 1 {
		t.Errorf("there are %d documents", n)
	}
	contentType, body = p.form("add-recipient")
	for range 2 {
		c.Send("POST", p.path, body, "Content-Type", contentType, "Accept", "text/html").Want(http.StatusSeeOther)
	}
	if n := strings.Count(open(t, c, p.path).body, `.email" name="r`); n != 2 {
		t.Errorf("there are %d recipients", n)
	}
}

// A custom field of the account is chosen by its name, and a copy of a package is
// prepared with all its content.
func aCopyIsPrepared(t *testing.T, app *e2etest.App) {
	c, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	field := map[string]any{"id": "plant", "value": "North", "translations": []any{map[string]any{"language": "en", "name": "Plant"}}}
	carol.Send("POST", "/api/account/customfields", field).Want(http.StatusOK)
	p := open(t, c, "/packages/new").set("name", "Form").set(firstIsAlice...).choose("form.pdf", formPDF).follow("add-files")
	p.set("f3.recipient", "r1").follow("add-field").set("f4.kind", "custom")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`id="f4.custom-wrong"`, ">Plant<")
	p.set("f4.custom", "plant").press("send").Want(http.StatusSeeOther)
	copied := c.Send("POST", "/api/packages/"+p.id()+"/clone", map[string]any{"name": "Copy"}).Want(http.StatusOK)
	p = open(t, c, "/packages/new/"+url.PathEscape(copied.Text("id")))
	p.has(`value="Copy"`, `value="Archer"`, "form.pdf", "Given Name", `<option value="plant" selected>`)
	p.press("send").Want(http.StatusSeeOther)
}

// When the answer to what makes the draft or a document gets lost, the form, sent again, even
// changed, goes on with the draft that was made, and each file is in it once.
func aLostAnswerMakesOneDraft(t *testing.T, app *e2etest.App) {
	c, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	for name, lost := range map[string]struct{ do, operation string }{
		"Saved once": {"save", "createPackage"}, "Added once": {"add-files", "createPackage"}, "Sent once": {"send", "createPackage"},
		"Saved with one file": {"save", "createDocuments"}, "Sent with one file": {"send", "createDocuments"},
	} {
		do := lost.do
		p := open(t, c, "/packages/new").set("name", name).set(firstIsAlice...).choose("a.txt", "text")
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": lost.operation, "cut": 0})
		r := p.press(do)
		if r.Status < 500 {
			t.Fatalf("%s: %d", do, r.Status)
		}
		p.take(r)
		p.set("r1.last_name", "Ahorn").choose("a.txt", "text").press(do).Want(http.StatusSeeOther)
		made := carol.Send("GET", "/api/packages?search="+url.QueryEscape(name), nil).Want(http.StatusOK)
		results := made.Member("results").([]any)
		if len(results) != 1 {
			t.Errorf("%s: %d were made", do, len(results))
			continue
		}
		one := carol.Send("GET", "/api/packages/"+results[0].(map[string]any)["id"].(string), nil).Want(http.StatusOK)
		if text := string(one.Body); do != "add-files" && !strings.Contains(text, "Ahorn") || strings.Count(text, `"name":"a.txt"`) != 1 {
			t.Errorf("%s: the draft has %s", do, text)
		}
	}
}
