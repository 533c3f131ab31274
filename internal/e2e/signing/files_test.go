package signing_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A file that a browser could run in our origin is offered for download, whatever type the
// platform gives; one that asked for a PDF inline gets it so.
func filesAreKept(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := packages + "/" + twoSigners(alice) + "/documents/open/original?inline=yes"
	for kind, want := range map[string][2]string{
		"text/html; charset=utf-8": {"application/octet-stream", "attachment; filename*=UTF-8''a_b.html"},
		"application/pdf":          {"application/pdf", "inline; filename*=UTF-8''a_b.html"},
	} {
		e2etest.Manage(t, app, "POST", "/faults", object{"operation": "getDocumentOriginal", "status": 200, "body": "<html>",
			"headers": object{"Content-Type": kind, "Content-Disposition": `inline; filename="a/b.html"`}})
		r := alice.Send("GET", path, nil).Want(http.StatusOK)
		if got := [2]string{r.Header.Get("Content-Type"), r.Header.Get("Content-Disposition")}; got != want || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q is sent as %v", kind, r.Header)
		}
	}
	alice.Send("GET", path, nil, "Range", "bytes=99999999-").Refused(http.StatusRequestedRangeNotSatisfiable, "request.range")
}
