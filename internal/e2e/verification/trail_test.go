package verification_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

func TestAuditTrail_RequestAndDownload(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := started(alice)
	alice.Send("POST", "/api/transactions/"+id+"/generate-audit-trail?force=1", nil).Refused(http.StatusBadRequest, "request.invalid")
	asked := alice.Send("POST", "/api/transactions/"+id+"/generate-audit-trail?force=false", nil).Want(http.StatusAccepted)
	if asked.Text("url") != app.URL()+"/api/transactions/"+id+"/audit-trail" {
		t.Errorf("asked: %s", asked.Body)
	}
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "getTransactionData", "status": http.StatusConflict})
	early := alice.Send("GET", "/api/transactions/"+id+"/audit-trail", nil)
	early.Refused(http.StatusConflict, notReady)
	if early.Header.Get("Retry-After") == "" {
		t.Error("nothing says when it is there")
	}
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	clock.Advance(3 * time.Second)
	trail := alice.Send("GET", "/api/transaction/"+id+"/audit-trail", nil).Want(http.StatusOK)
	if !strings.HasPrefix(string(trail.Body), "%PDF-") || !strings.Contains(trail.Header.Get("Content-Disposition"), "audit-trail-"+id+".pdf") {
		t.Errorf("the audit trail: %v %.20s", trail.Header, trail.Body)
	}
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "getTransactionData", "status": http.StatusRequestedRangeNotSatisfiable})
	alice.Send("GET", "/api/transaction/"+id+"/audit-trail", nil, "Range", "bytes=99999999-").Refused(http.StatusRequestedRangeNotSatisfiable, "request.range")
	opened(t, alice, "/api/transaction/"+id+"/audit-trail")
}

// opened requests a PDF inline and as a download.
func opened(t *testing.T, c *e2etest.Client, path string) {
	t.Helper()
	for query, want := range map[string]string{"": "attachment", "?inline=no": "attachment", "?inline=yes": "inline"} {
		if got, _, _ := strings.Cut(c.Send("GET", path+query, nil).Want(http.StatusOK).Header.Get("Content-Disposition"), ";"); got != want {
			t.Errorf("with %q it is %s, not %s", query, got, want)
		}
	}
}

// A requested audit trail may take ten minutes, whatever its link says until then;
// without a request there is none.
func TestAuditTrail_NeverArrives(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "SESSION_IDLE=2h")
	alice, page := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	id := started(alice)
	path := "/api/transactions/" + id
	ask := func() { alice.Send("POST", path+"/generate-audit-trail?force=false", nil).Want(http.StatusAccepted) }
	alice.Send("GET", path+"/audit-trail", nil).Refused(http.StatusNotFound, notFound)
	has(t, page.Page("/verifications/"+id).Want(http.StatusOK), `data-trail=""`, `value="audit-trail"`)
	for _, broken := range []e2etest.Fault{{"status": 404}, {"status": 202, "body": ""}} {
		e2etest.Manage(t, app, "DELETE", "/faults", nil)
		broken["operation"], broken["times"] = "getTransactionData", 0
		e2etest.Manage(t, app, "POST", "/faults", broken)
		ask()
		clock.Advance(9 * time.Minute)
		if early := alice.Send("GET", path+"/audit-trail", nil).Refused(http.StatusConflict, notReady); early.Header.Get("Retry-After") == "" {
			t.Errorf("%v: nothing says when to ask again", broken)
		}
		ask() // the time begins again
		clock.Advance(9 * time.Minute)
		alice.Send("GET", path+"/audit-trail", nil).Refused(http.StatusConflict, notReady)
		clock.Advance(time.Minute)
		alice.Send("GET", path+"/audit-trail", nil).Refused(http.StatusNotFound, notFound)
	}
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	alice.Send("GET", path+"/audit-trail", nil).Want(http.StatusOK)
}

func images(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := started(alice)
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed", "result": "Passed"})
	report := string(alice.Send("GET", "/api/transactions/"+id+"/detailed-verification-report", nil).Want(http.StatusOK).Body)
	_, rest, found := strings.Cut(report, `"idDocumentPictureUrl":"`+app.URL())
	path, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("the report has no picture of ours: %s", report)
	}
	picture := alice.Send("GET", path, nil).Want(http.StatusOK)
	if picture.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(string(picture.Body), "\x89PNG") {
		t.Errorf("the picture: %v", picture.Header)
	}
	list := path[:strings.LastIndexByte(path, '/')]
	if body := string(alice.Send("GET", list, nil).Want(http.StatusOK).Body); !strings.Contains(body, app.URL()+path) || strings.Contains(body, "sfs:") {
		t.Errorf("the pictures: %s", body)
	}
	alice.Send("GET", list+"/another", nil).Refused(http.StatusNotFound, notFound)
}
