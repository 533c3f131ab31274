package verification_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// lie makes the next call of an operation be answered 200 with a body.
func lie(t *testing.T, app *e2etest.App, operation string, body any, headers ...string) {
	t.Helper()
	set := map[string]any{}
	for i := 0; i+1 < len(headers); i += 2 {
		set[headers[i]] = headers[i+1]
	}
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": operation, "status": 200, "body": body, "headers": set})
}

const elsewhere = "https://pages.elsewhere.example/x"

// An answer about another object, or leading to another host, is not passed on.
func platformLies(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	id, other := withDocument(alice), started(bob)
	path := "/api/transaction/" + id
	foreign := map[string]any{"id": other, "status": "new", "created": "2026-01-02T03:04:05Z"}
	withToken := map[string]any{"id": id, "status": "new", "tokens": []any{map[string]any{"token": "t", "role": "customer", "accessUrl": elsewhere}}}
	failed := func(r e2etest.Reply) {
		t.Helper()
		r.Refused(http.StatusBadGateway, "platform.failed")
		lacks(t, r, other, "elsewhere")
	}
	lie(t, app, "getTransaction", foreign)
	failed(alice.Send("GET", path, nil))
	alice.Send("GET", "/api/transaction/"+other, nil).Refused(http.StatusNotFound, notFound)
	lie(t, app, "getTransaction", map[string]any{"status": "new"})
	failed(alice.Send("GET", path, nil))
	lie(t, app, "createTransaction", map[string]any{"id": id, "status": "new", "opaque_id": "cs1.forged", "tokens": withToken["tokens"]})
	failed(alice.Send("PUT", "/api/transaction", input()))
	lie(t, app, "createSessionToken", map[string]any{"token": "t", "role": "customer", "accessUrl": elsewhere})
	failed(alice.Send("POST", path+"/token", map[string]any{"role": "customer"}))
	lie(t, app, "createSessionToken", map[string]any{"role": "customer"})
	failed(alice.Send("POST", path+"/token", map[string]any{"role": "customer"}))
	document := "sfs://sandbox/sandbox/transactions/" + id + "/docs/AuditTrailDocument_1/1"
	for _, url := range []string{elsewhere, "//pages.elsewhere.example/x", "sfs://x/y", strings.Replace(document, id, other, 1), "", app.SandboxURL() + ".elsewhere.example/", strings.Replace(app.SandboxURL(), "://", "://u:p@", 1) + "/x"} {
		lie(t, app, "generateAuditTrail", map[string]any{"status": "new", "url": url})
		failed(alice.Send("POST", path+"/generate-audit-trail", nil))
	}
	alice.Send("GET", path+"/audit-trail", nil).Refused(http.StatusNotFound, notFound)
	lie(t, app, "getDetailedReport", map[string]any{
		"id": id, "a": "see " + elsewhere + " and " + app.SandboxURL() + "/x", "b": []any{"sfs://bucket/x"}, "c": `{"u":"` + strings.ReplaceAll(app.SandboxURL(), "/", `\/`) + `"}`, "tenant_id": "t",
	})
	r := alice.Send("GET", path+"/detailed-verification-report", nil).Want(http.StatusOK)
	has(t, r, elsewhere)
	lacks(t, r, "sfs:", strings.TrimPrefix(app.SandboxURL(), "http://"), "tenant")
}

// The creator of a transaction is its starter, whatever the answer says of that: they see
// its tokens and their own opaque_id.
func answerWithoutItsStarter(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	token := map[string]any{"token": "t", "role": "customer", "accessUrl": app.SandboxURL() + "/esign/x"}
	for i, said := range []map[string]any{{}, {"opaque_id": nil}, {"opaque_id": "cs1.forged"}} {
		id := strings.TrimSuffix(unknownID, "0") + string(rune('1'+i))
		said["id"], said["status"], said["tokens"] = id, "new", []any{token}
		lie(t, app, "createTransaction", said)
		r := alice.Send("PUT", "/api/transaction", with("opaque_id", "mine")).Want(http.StatusOK)
		if r.Text("opaque_id") != "mine" || strings.Count(string(r.Body), "opaque_id") != 1 {
			t.Errorf("%v: %s", said, r.Body)
		}
		has(t, r, `"accessUrl":"`+app.SandboxURL()+"/esign/x")
		has(t, alice.Send("GET", "/api/transactions", nil).Want(http.StatusOK), id)
		lacks(t, bob.Send("GET", "/api/transactions", nil).Want(http.StatusOK), id)
	}
	// An answer about another person's transaction makes nobody its starter.
	other := started(bob)
	lie(t, app, "createTransaction", map[string]any{"id": other, "status": "new"})
	alice.Send("PUT", "/api/transaction", input())
	alice.Send("GET", "/api/transaction/"+other, nil).Refused(http.StatusNotFound, notFound)
	bob.Send("GET", "/api/transaction/"+other, nil).Want(http.StatusOK)
}

// Only the seal decides whose a transaction is.
func forgedStarters(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	body := input()
	body["opaque_id"] = "mine"
	id := alice.Send("PUT", "/api/transaction", body).Want(http.StatusOK).Text("id")
	sealed := e2etest.Manage(t, app, "GET", "/transactions/"+id, nil).Text("opaque_id")
	for _, forged := range []string{"", "cs1.", "cs1.bob@sandbox", "bob@sandbox", sealed + "A", sealed[:len(sealed)-2], strings.ToUpper(sealed), "cs1." + strings.Repeat("A", len(sealed)-4)} {
		made := e2etest.Manage(t, app, "POST", "/transactions", map[string]any{"count": 1, "opaqueID": forged}).Member("ids").([]any)[0].(string)
		for _, c := range []*e2etest.Client{alice, bob} {
			c.Send("GET", "/api/transaction/"+made, nil).Refused(http.StatusNotFound, notFound)
		}
	}
	// Another person who gets the sealed id has a transaction of their own opened.
	body["opaque_id"] = sealed
	own := bob.Send("PUT", "/api/transaction", body).Want(http.StatusOK)
	if own.Text("opaque_id") != sealed {
		t.Errorf("bob's own is %s", own.Body)
	}
	alice.Send("GET", "/api/transaction/"+own.Text("id"), nil).Refused(http.StatusNotFound, notFound)
}

// A file of the wrong type is not passed on; one that breaks off breaks off, and the log
// tells why.
func TestFiles_WrongTypeOrBroken(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	app := e2etest.BootTo(t, &log, "RATE_LOOKUP=off")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := withDocument(alice)
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed", "result": "Passed"})
	path := "/api/transaction/" + id
	picture := path + "/verifications/" + selfieOf(t, alice, id) + "/verification-images/image_submitted_selfie"
	for address, operation := range map[string]string{path + "/evidence": "getEvidence", path + "/document/contract/pdf": "getDocument", picture: "getTransactionData"} {
		for _, body := range []string{"<html><script>alert(1)</script></html>", "GIF89a", "", "plain"} {
			lie(t, app, operation, body, "Content-Type", "text/html", "Content-Disposition", `inline; filename="../../x.html"`, "Set-Cookie", "a=b")
			r := alice.Send("GET", address, nil).Refused(http.StatusBadGateway, "platform.failed")
			r.TakesNothing(operation)
		}
		e2etest.Manage(t, app, "DELETE", "/faults", nil)
		r := alice.Send("GET", address, nil).Want(http.StatusOK)
		if r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(r.Header.Get("Content-Disposition"), "filename") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", operation, r.Header)
		}
	}
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getEvidence", "times": 0, "cut": 100})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.URL()+path+"/evidence", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = alice.Header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err == nil { // else it broke off before its head was sent
		defer response.Body.Close()
		if got, err := io.ReadAll(response.Body); err == nil && response.StatusCode == http.StatusOK {
			t.Errorf("a file that breaks off looks whole: %d bytes", len(got))
		}
	}
	line := regexp.MustCompile(`path=` + path + `/evidence status=200 .* cause=.*getEvidence`)
	e2etest.Eventually(t, "the file that breaks off is logged, with its cause", func() bool { return line.MatchString(log.String()) })
}
