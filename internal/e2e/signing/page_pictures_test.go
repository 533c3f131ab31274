package signing_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// words is a document of two pages, of which the second says what it is.
const words = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\n" +
	"4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 792 612]/Resources<</Font<</F 5 0 R>>>>/Contents 6 0 R>>endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n" +
	"6 0 obj<</Length 41>>stream\nBT /F 24 Tf 72 500 Td (The second page) Tj ET\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

func pagesAreShownToWhoeverHasTheDocument(t *testing.T, app *e2etest.App) {
	alice, bob, mallory := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox"), e2etest.Program(t, app)
	e2etest.Manage(t, app, "PUT", "/users/mallory@sandbox", object{"passKey": "Sandbox-1!", "email": "mallory@sandbox.example"})
	mallory = mallory.SignedIn("mallory@sandbox")
	p := lease("Lease", "SENT", "bob@sandbox.example")
	p["documents"].([]any)[0].(object)["base64Content"] = base64.StdEncoding.EncodeToString([]byte(words))
	id := create(alice, p)
	pages := "/packages/" + id + "/documents/lease/pages/"

	for _, c := range []*e2etest.Client{alice, bob, e2etest.Program(t, app).SignedIn("carol@sandbox")} {
		for width, want := range map[string]int{"": 800, "?width=400": 400, "?width=800": 800, "?width=1600": 1600} {
			r := c.Send("GET", pages+"2.png"+width, nil).Want(http.StatusOK)
			picture, err := png.Decode(bytes.NewReader(r.Body))
			if err != nil {
				t.Fatal(err)
			}
			if size := picture.Bounds().Size(); size.X != want || size.Y != want*612/792 {
				t.Errorf("%s is %v", r.What, size)
			}
			if kind, kept := r.Header.Get("Content-Type"), r.Header.Get("Cache-Control"); kind != "image/png" || kept != "no-store" {
				t.Errorf("%s is %q, %q", r.What, kind, kept)
			}
		}
		if text := string(c.Send("GET", pages+"2.txt", nil).Want(http.StatusOK).Body); !strings.Contains(text, "The second page") {
			t.Errorf("the text is %q", text)
		}
	}
	for _, name := range []string{"3.png", "0.png", "01.png", "1", "1.jpg", "1.png.png", "-1.txt", "+1.png", "99999999999999999999.png", "x.png"} {
		alice.Send("GET", pages+name, nil).Refused(http.StatusNotFound, "request.not-found")
	}
	for _, width := range []string{"401", "", "0800", "800&width=400", "1e2"} {
		r := alice.Send("GET", pages+"1.png?width="+width, nil).Refused(http.StatusBadRequest, "request.invalid")
		if !bytes.Contains(r.Body, []byte(`"/width"`)) {
			t.Errorf("width=%s: %s", width, r.Body)
		}
	}
	mallory.Send("GET", pages+"1.png", nil).Refused(http.StatusNotFound, "request.not-found")
	e2etest.Program(t, app).Send("GET", pages+"1.png", nil).Refused(http.StatusUnauthorized, "session.required")
	for _, other := range []string{"no-such", "zip", "visibility", ".."} {
		alice.Send("GET", "/packages/"+id+"/documents/"+other+"/pages/1.png", nil).Want(http.StatusNotFound)
	}
}

// A document that a signer may not see has no pages for them.
func aHiddenDocumentHasNoPages(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	p := lease("Lease", "DRAFT", "bob@sandbox.example", "ada@sandbox.example")
	annex := object{"id": "annex", "name": "Annex", "base64Content": base64.StdEncoding.EncodeToString([]byte(e2etest.Blank)), "approvals": []any{
		object{"role": "ada", "fields": []any{object{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100, "left": 72, "width": 200, "height": 40}}},
	}}
	p["documents"] = append(p["documents"].([]any), annex)
	id := create(alice, p)
	alice.Send("POST", "/api/packages/"+id+"/documents/visibility", object{"configurations": []any{object{"documentUid": "annex", "roleUids": []any{"ada"}}}}).Want(http.StatusOK)
	alice.Send("PUT", "/api/packages/"+id, object{"status": "SENT"}).Want(http.StatusOK)
	bob.Send("GET", "/packages/"+id+"/documents/lease/pages/1.png", nil).Want(http.StatusOK)
	bob.Send("GET", "/packages/"+id+"/documents/annex/pages/1.png", nil).Refused(http.StatusNotFound, "request.not-found")
	alice.Send("GET", "/packages/"+id+"/documents/annex/pages/1.png", nil).Want(http.StatusOK)
}

// What PDFium cannot read is said so, and where to read it.
func whatCannotBeShown(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	p := lease("Lease", "DRAFT", "bob@sandbox.example")
	p["documents"].([]any)[0].(object)["base64Content"] = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 nothing else"))
	id := create(alice, p)
	for _, name := range []string{"1.png", "1.txt"} {
		alice.Send("GET", "/packages/"+id+"/documents/lease/pages/"+name, nil).Refused(http.StatusUnprocessableEntity, "document.not-shown")
	}
}

// Where characters of a page have no font, its picture says so, the package's page beside it,
// and a metric counts it.
func whatIsMissingInAPicture(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	p := lease("Lease", "DRAFT", "bob@sandbox.example")
	p["documents"].([]any)[0].(object)["base64Content"] = base64.StdEncoding.EncodeToString(pdftest.Japanese())
	id := create(alice, p)
	said := func() bool {
		if got := alice.Send("GET", "/packages/"+id+"/documents/lease/pages/1.png", nil).Want(http.StatusOK).Header.Get("Server-Timing"); got != "missing;dur=3" {
			t.Fatalf("the picture says %q", got)
		}
		page := string(alice.Send("GET", "/packages/"+id, nil).Want(http.StatusOK).Body)
		return strings.Contains(page, `</div>
  <p class="incomplete">Characters are missing in this picture: their font is not in the document. <a href="/api/packages/`+id+`/documents/lease/pdf?inline=yes">`)
	}
	e2etest.Eventually(t, "the page says it, once its update is two seconds old", said)
	if !e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, "countersign_incomplete_pictures_total ") || e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, "countersign_incomplete_pictures_total 0\n") {
		t.Error("no metric counts it")
	}
}
