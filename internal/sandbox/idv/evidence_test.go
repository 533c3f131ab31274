package idv_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	pdftest.Serve()
	os.Exit(m.Run())
}

// textOf returns the text of a PDF.
func textOf(t *testing.T, a answer) string {
	t.Helper()
	same(t, "status of "+a.call, a.status, http.StatusOK)
	same(t, "media of "+a.call, a.header.Get("Content-Type"), "application/pdf")
	return pdftest.TextOf(t, []byte(a.text))
}

func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %q", part, text)
		}
	}
}

func TestEvidence_AfterCompletion(t *testing.T) {
	c := start(t)
	terms := pdf.Text("Terms")
	path, page := c.create(object{"documents": []object{{"id": "terms", "content": base64.StdEncoding.EncodeToString(terms)}, {"id": "more", "document_template_id": "t1"}}})
	evidence := path + "/document/AuditTrailDocument/pdf"
	c.get(evidence).refused(http.StatusConflict)
	same(t, "terms", c.get(path+"/document/terms/pdf").text, string(terms))
	says(t, textOf(t, c.get(path+"/document/more/pdf")), "Agreement more", "Alice Sample")
	c.get(path + "/document/other/pdf").refused(http.StatusNotFound)
	same(t, "for the person", c.open(strings.Replace(page, "?", "/documents/terms?", 1)).text, string(terms))
	c.open(strings.Replace(page, "?", "/documents/other?", 1)).refused(http.StatusNotFound)
	c.play(page, "good", "bad")
	says(t, textOf(t, c.get(evidence)), "Audit trail", "Session recording", "Identity validation data", "Alice Sample", "document_selected", "transaction_completed", "The face is not the one of the document", "Identity card", "SHA-256", "Result: Failed")
	c.manage("PUT", "account", object{"evidenceSize": 2_000_000})
	large := c.get(evidence)
	same(t, "size", len(large.text), 2_000_000)
	same(t, "Content-Length", large.header.Get("Content-Length"), "2000000")
	says(t, textOf(t, large), "Audit trail", "transaction_completed")
	c.call("PUT", "/_manage/account", object{"evidenceSize": -1}).refused(http.StatusBadRequest, "evidenceSize")
}

func TestAuditTrail_Generated(t *testing.T) {
	c := start(t)
	path, page := c.create(nil)
	ask := func(query string) (status, link string) {
		t.Helper()
		a := c.post(path+"/generate-audit-trail"+query, nil).ok()
		return a["status"].(string), data(path, a["url"].(string))
	}
	c.post(path+"/generate-audit-trail?force=1", nil).refused(http.StatusBadRequest, "force")
	id := strings.TrimPrefix(path, "/api/transactions/")
	document := func(version string) string {
		return "sfs://sandbox/sandbox/transactions/" + id + "/docs/AuditTrailDocument_" + version + "/1"
	}
	c.get(data(path, document("1"))).refused(http.StatusNotFound)
	for _, address := range []string{"", "sfs://sandbox/sandbox/transactions/another/docs/AuditTrailDocument_1/1", "https://elsewhere.example/x"} {
		c.get(data(path, address)).refused(http.StatusBadRequest, "url")
	}
	status, link := ask("?force=true")
	same(t, "status", status, "IN_PROGRESS")
	same(t, "link", link, data(path, document("1")))
	c.get(link).refused(http.StatusConflict)
	c.advance("1999ms")
	c.get(link).refused(http.StatusConflict)
	c.advance("1ms")
	first := textOf(t, c.get(link))
	says(t, first, "Audit trail", "transaction_created", "audit_trail_requested")
	c.press(page, "choose-document", nil)
	status, again := ask("")
	same(t, "status", status, "READY")
	same(t, "link", again, link)
	status, again = ask("?force=true")
	same(t, "status", status, "IN_PROGRESS")
	same(t, "link of another", again, data(path, document("2")))
	c.get(link).refused(http.StatusNotFound)
	c.advance("2s")
	says(t, textOf(t, c.get(again)), "document_selected")
	same(t, "without a token", c.open(again).status, http.StatusUnauthorized)
	c.play(page, "good", "good")
	c.post(path+"/generate-audit-trail", nil).refused(http.StatusConflict)
	textOf(t, c.get(again))
}
