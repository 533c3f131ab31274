package idv_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestTransaction_CreatedInBulk(t *testing.T) {
	c := start(t)
	ids := c.manage("POST", "transactions", object{"count": 1000, "opaqueID": "o", "status": "completed"}).ok()["ids"].([]any)
	for _, id := range ids {
		got := c.manage("GET", "transactions/"+id.(string), nil).ok()
		same(t, "opaque_id", got["opaque_id"], "o")
		same(t, "status", got["status"], "completed")
		same(t, "report", c.get("/api/transactions/" + id.(string) + "/detailed-verification-report").ok()["result"], "Passed")
	}
	if ids[0] == ids[1] {
		t.Error("one transaction for two")
	}
	one := c.manage("POST", "transactions", object{"count": 1}).ok()["ids"].([]any)
	same(t, "status", c.get("/api/transaction/" + one[0].(string)).ok()["status"], "new")
	for field, body := range map[string]object{"count": {"count": 0}, "status": {"count": 1, "status": ""}, "many": {"count": 1, "many": 1}} {
		c.post("/_manage/transactions", body).refused(http.StatusBadRequest, field)
	}
}

func TestTransaction_Changed(t *testing.T) {
	c := start(t)
	path, page := c.create(object{"opaque_id": "o"})
	held := "/_manage" + strings.TrimPrefix(path, "/api")
	change := func(body object) object {
		t.Helper()
		same(t, "status", c.post(held, body).status, http.StatusNoContent)
		got := c.get(path).ok()
		same(t, "held", c.get(held).ok()["opaque_id"], "o")
		return got
	}
	same(t, "stage", change(object{"stage": "Waiting for light"})["last_session_event"], "Waiting for light")
	same(t, "unknown state", change(object{"status": "thinking"})["status"], "thinking")
	if shown := c.open(page); !strings.Contains(shown.text, "Choose document") {
		t.Error(shown.text)
	}
	change(object{"status": "completed", "result": "Failed"})
	same(t, "result", c.get(path + "/detailed-verification-report").ok()["result"], "Failed")
	says(t, textOf(t, c.get(path+"/document/AuditTrailDocument/pdf")), "Result: Failed")
	change(object{"result": "Passed", "firstName": "Mia", "lastName": "", "completed": "2026-01-31T12:00:00+01:00"})
	got := c.get(path + "/detailed-verification-report").ok()
	same(t, "as told", at(t, got, "stages.0.details.personalInformation.firstName"), "Alice")
	same(t, "on the document", at(t, got, "stages.1.details.personalInformation.firstName"), "Mia")
	same(t, "on the document", at(t, got, "stages.1.details.personalInformation.lastName"), "")
	same(t, "completed", c.get(path).ok()["completed"], "2026-01-31T11:00:00.000Z")
	change(object{"status": "error"})
	same(t, "result", c.get(path + "/detailed-verification-report").ok()["result"], "Undefined")
	if shown := c.open(page); !strings.Contains(shown.text, "This verification has failed") {
		t.Error(shown.text)
	}
	for field, body := range map[string]object{"result": {"result": "Maybe"}, "stage": {"stage": ""}, "status": {"status": " x"}, "completed": {"completed": "yesterday"}} {
		c.post(held, body).refused(http.StatusBadRequest, field)
	}
	c.post("/_manage/transactions/x", object{"status": "new"}).refused(http.StatusNotFound)
	c.get("/_manage/transactions/x").refused(http.StatusNotFound)
}

func TestReset_RestoresInitialState(t *testing.T) {
	c := start(t)
	path, page := c.create(nil)
	c.play(page, "good", "good")
	c.manage("PUT", "account", object{"evidenceSize": 1_000_000, "verificationCallbackURL": c.url})
	c.manage("POST", "reset", nil)
	c.get(path).refused(http.StatusNotFound)
	path, page = c.create(nil)
	c.play(page, "good", "good")
	if n := len(c.get(path + "/document/AuditTrailDocument/pdf").text); n > 100_000 {
		t.Errorf("evidence of %d bytes", n)
	}
}

// A fault applies to an operation in either family of paths; for a name of two services
// it applies to the next call of either.
func TestFaults_ByOperation(t *testing.T) {
	c := start(t)
	path, _ := c.create(object{"documents": []object{{"id": "a", "document_template_id": "t"}}})
	for _, operation := range []string{"getTransaction", "getDocument"} {
		c.manage("POST", "faults", object{"operation": operation, "status": 503, "times": 2})
	}
	for _, family := range []string{"/api/transaction/", "/api/transactions/"} {
		same(t, "status", c.get(family+idOf(path)).status, http.StatusServiceUnavailable)
		same(t, "status", c.get(family+idOf(path)+"/document/a/pdf").status, http.StatusServiceUnavailable)
	}
	same(t, "status", c.get(path).status, http.StatusOK)
	same(t, "status", c.get(path+"/document/a/pdf").status, http.StatusOK)
	c.manage("POST", "faults", object{"operation": "getTransaction", "times": 0, "body": object{"x": 1}})
	same(t, "body", c.get(path).text, `{"x":1}`)
	c.manage("DELETE", "faults", nil)
	same(t, "status", c.get(path).ok()["status"], "new")
}

func TestCallbacks_RepeatedAfterRefusal(t *testing.T) {
	c := start(t)
	taken := make(chan object, 100)
	refusals := make(chan int, 2)
	refusals <- http.StatusServiceUnavailable
	refusals <- http.StatusTooManyRequests
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case status := <-refusals:
			w.WriteHeader(status)
			return
		default:
		}
		var body object
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		body["key"], body["authorization"] = r.URL.Query().Get("key"), r.Header.Get("Authorization")
		w.WriteHeader(http.StatusNoContent)
		taken <- body
	}))
	t.Cleanup(receiver.Close)
	c.call("PUT", "/_manage/account", object{"verificationCallbackURL": "nowhere"}).refused(http.StatusBadRequest, "verificationCallbackURL")
	c.manage("PUT", "account", object{"verificationCallbackURL": receiver.URL + "/callbacks?key=k"})
	path, page := c.create(nil)
	c.post(path+"/generate-audit-trail", nil)
	c.advance("2s")
	c.play(page, "good", "good")
	c.create(nil)
	c.advance("2160h")
	for _, trigger := range []string{
		"transaction_created", "audit_trail_requested", "audit_trail_generated", "session_started", "document_selected", "verification_doc_id",
		"verification_document_with_face", "consent_accepted", "session_ended", "workflow_completed", "autosigned", "post_processing", "vaulted",
		"transaction_completed", "transaction_created", "transaction_expired",
	} {
		body := <-taken
		same(t, "trigger", body["trigger"], trigger)
		same(t, "key of "+trigger, body["key"], "k")
		same(t, "authorization of "+trigger, body["authorization"], "")
		same(t, "members of "+trigger, len(body), 16)
		if _, err := time.Parse(time.RFC3339, body["timestamp"].(string)); err != nil {
			t.Error(err)
		}
		if trigger == "consent_accepted" {
			same(t, "type", body["type"], "consent_accepted")
			same(t, "role", body["role"], "customer")
			same(t, "address", at(t, body, "client_device.ip_address"), "127.0.0.1")
		}
	}
}
