package signing_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// answers makes the platform's next call of operation succeed with that body and these
// headers.
func answers(t *testing.T, app *e2etest.App, operation, body string, headers object) {
	t.Helper()
	e2etest.Manage(t, app, "POST", "/faults", object{"operation": operation, "status": 200, "headers": headers, "body": body})
}

// A file that a browser could run in our origin is offered for download, whatever type
// the platform gives.
func filesAreKept(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := packages + "/" + twoSigners(alice)
	const html = "<html><script>alert(1)</script></html>"
	for _, one := range []struct{ kind, query, want string }{
		{"text/html", "", "application/octet-stream"},
		{"text/html; charset=utf-8", "?inline=yes", "application/octet-stream"},
		{"image/svg+xml", "?inline=yes", "application/octet-stream"},
		{"application/xml", "?inline=yes", "application/octet-stream"},
		{"", "", "application/octet-stream"},
		{"application/pdf", "", "application/pdf"},
	} {
		answers(t, app, "getDocumentOriginal", html, object{"Content-Type": one.kind, "Content-Disposition": `inline; filename="a/b.html"`})
		r := alice.Send("GET", path+"/documents/open/original"+one.query, nil).Want(http.StatusOK)
		if got := r.Header.Get("Content-Type"); got != one.want {
			t.Errorf("%q%s is sent as %q", one.kind, one.query, got)
		}
		if got := r.Header.Get("Content-Disposition"); got != "attachment; filename*=UTF-8''a_b.html" {
			t.Errorf("%q%s is %q", one.kind, one.query, got)
		}
		if got := r.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("browsers may guess: %q", got)
		}
	}
	answers(t, app, "getDocumentOriginal", pdf, object{"Content-Type": "application/pdf"})
	r := alice.Send("GET", path+"/documents/open/original?inline=yes", nil).Want(http.StatusOK)
	if got := r.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "inline;") || sentAs(t, app, "getDocumentOriginal") != "" {
		t.Errorf("a PDF that was asked for inline is %q", got)
	}
}

// An audit trail in XML is offered for download; all other answers are JSON.
func auditTrailsInXML(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := create(alice, draft("Trail", frankMail))
	e2etest.Followed(t, app, id)
	const trail = `<?xml version="1.0"?><audit-trail/>`
	for theirs, name := range map[string]string{"": id + "-audit.xml", `inline; filename="trail.xml"`: "trail.xml"} {
		for _, kind := range []string{"application/xml", "text/xml; charset=utf-8"} {
			answers(t, app, "getAudit", trail, object{"Content-Type": kind, "Content-Disposition": theirs})
			r := alice.Send("GET", packages+"/"+id+"/audit?inline=yes", nil, "Accept", "application/xml").Want(http.StatusOK)
			if r.Header.Get("Content-Type") != "application/xml" || string(r.Body) != trail {
				t.Errorf("it is %q: %s", r.Header.Get("Content-Type"), r.Body)
			}
			if got := r.Header.Get("Content-Disposition"); got != "attachment; filename*=UTF-8''"+strings.ReplaceAll(name, "=", "%3D") {
				t.Errorf("it is %q", got)
			}
		}
	}
	for _, kind := range []string{"text/html", "image/svg+xml", "text/plain", ""} {
		answers(t, app, "getPackage", `{"id":"`+id+`","name":"Trail","status":"DRAFT"}`, object{"Content-Type": kind})
		r := alice.Send("GET", packages+"/"+id, nil).Want(http.StatusOK)
		if got := r.Header.Get("Content-Type"); got != "application/json" || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("JSON that is called %q is sent as %q", kind, got)
		}
	}
}

// A range outside the file is 416; an invalid range is ignored.
func rangesOfFiles(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := packages + "/" + twoSigners(alice) + "/documents/open/"
	for _, file := range []string{"pdf", "original"} {
		whole := alice.Send("GET", path+file, nil).Want(http.StatusOK)
		for _, impossible := range []string{"bytes=99999999-", "bytes=99999999-99999999", "bytes=99999999999999999999-"} {
			alice.Send("GET", path+file, nil, "Range", impossible).Refused(http.StatusRequestedRangeNotSatisfiable, "request.range")
		}
		for _, none := range []string{"bytes=3-2", "bytes=a-b", "bytes", "bytes=", "bytes=-", "items=0-1", "0-1", "bytes=0-1,2-3"} {
			if r := alice.Send("GET", path+file, nil, "Range", none).Want(http.StatusOK); len(r.Body) != len(whole.Body) {
				t.Errorf("%s of %s: %d of %d bytes", none, file, len(r.Body), len(whole.Body))
			}
		}
		if r := alice.Send("GET", path+file, nil, "Range", "bytes=1-3").Want(http.StatusPartialContent); string(r.Body) != "PDF" {
			t.Errorf("a part of %s is %q", file, r.Body)
		}
		if r := alice.Send("GET", path+file, nil, "Range", "bytes=-1").Want(http.StatusPartialContent); len(r.Body) != 1 {
			t.Errorf("the end of %s is %q", file, r.Body)
		}
	}
}
