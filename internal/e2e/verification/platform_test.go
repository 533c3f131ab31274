package verification_test

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// asked is a request that needs one operation of the platform, by its name, of a
// transaction in a state; operators' requests are made by one.
type asked struct {
	operation, state string
	request          operation
	operators        bool
}

// check stands for the id of a verification that succeeded.
const check = "{check}"

var everyOperation = []asked{
	{operation: "createTransaction", request: operation{method: "PUT", path: "/transaction/", body: input()}},
	{operation: "getTransaction", request: operation{method: "GET", path: "/transaction/{id}"}},
	{operation: "getTransactionVerification", request: operation{method: "GET", path: "/transaction/{id}/verification"}},
	{operation: "getEvidence", state: "completed", request: operation{method: "GET", path: "/transaction/{id}/evidence"}},
	{operation: "getDocument", request: operation{method: "GET", path: "/transaction/{id}/document/contract/pdf"}},
	{operation: "cancelTransaction", request: operation{method: "PUT", path: "/transaction/{id}/event", body: map[string]any{"trigger": "transaction_cancelled"}}},
	{operation: "markForErasure", operators: true, request: operation{method: "POST", path: "/transactions/mark-for-erasure"}},
	{operation: "unmarkForErasure", operators: true, request: operation{method: "POST", path: "/transactions/unmark-for-erasure"}},
	{operation: "createSessionToken", request: operation{method: "POST", path: "/transaction/{id}/token", body: map[string]any{"role": "customer"}}},
	{operation: "generateAuditTrail", request: operation{method: "POST", path: "/transactions/{id}/generate-audit-trail"}},
	{operation: "getVerificationImages", state: "completed", request: operation{method: "GET", path: "/transactions/{id}/verifications/" + check + "/verification-images"}},
	{operation: "getTransactionData", state: "completed", request: operation{method: "GET", path: "/transactions/{id}/verifications/" + check + "/verification-images/image_submitted_selfie"}},
	{operation: "getDetailedReport", request: operation{method: "GET", path: "/transactions/{id}/detailed-verification-report"}},
}

// prepare makes a transaction for a, and returns its request.
func (a asked) prepare(t *testing.T, app *e2etest.App, starter, carol *e2etest.Client) func() e2etest.Reply {
	t.Helper()
	id, o, c := withDocument(starter), a.request, starter
	if a.state != "" {
		e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": a.state, "result": "Passed"})
	}
	if strings.Contains(o.path, check) {
		o.path = strings.ReplaceAll(o.path, check, selfieOf(t, starter, id))
	}
	if a.operators {
		o.body, c = erasing(id), carol
		carol.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK)
	}
	return func() e2etest.Reply { return o.of(c, id) }
}

// selfieOf returns the id of the verification of a face.
func selfieOf(t *testing.T, c *e2etest.Client, id string) string {
	t.Helper()
	list, _ := c.Send("GET", "/api/transaction/"+id+"?withVerifications=true", nil).Want(http.StatusOK).Member("verifications").([]any)
	for _, one := range list {
		v := one.(map[string]any)
		if name, _ := v["vhub_verification_id"].(string); c.Send("GET", "/api/transactions/"+id+"/verifications/"+name+"/verification-images/image_submitted_selfie", nil).Status == http.StatusOK {
			return name
		}
	}
	t.Fatalf("no verification of a face: %v", list)
	return ""
}

// words are the platform's, which no client may read.
const words = "raw words of the vendor at https://storage.vendor.example/bucket?sig=s3cret"

// misbehaviours are possible answers of the platform, with our answer; "misplaced" is for
// calls that name no transaction, whose path must be wrong.
var misbehaviours = []struct {
	name      string
	fault     e2etest.Fault
	status    int
	key       string
	misplaced bool
}{
	{"an error", e2etest.Fault{"status": 500}, 502, "platform.failed", false},
	{"busy", e2etest.Fault{"status": 429, "headers": e2etest.Fault{"Retry-After": "3"}}, 503, "platform.unavailable", false},
	{"the token is wrong", e2etest.Fault{"status": 401}, 502, "platform.failed", false},
	{"not allowed", e2etest.Fault{"status": 403}, 409, "verification.refused", false},
	{"invalid", e2etest.Fault{"status": 400}, 400, "verification.invalid", false},
	{"another state", e2etest.Fault{"status": 409}, 409, "verification.state", false},
	{"nothing there", e2etest.Fault{"status": 404}, 404, notFound, true},
	{"a firewall", e2etest.Fault{"status": 403, "body": "<html>" + words + "</html>"}, 502, "platform.failed", false},
	{"nothing there, and nothing said", e2etest.Fault{"status": 404, "body": ""}, 502, "platform.failed", false},
	{"elsewhere", e2etest.Fault{"status": 302, "headers": e2etest.Fault{"Location": "https://storage.vendor.example/"}}, 502, "platform.failed", false},
	{"a page", e2etest.Fault{"status": 200, "body": "<html>" + words + "</html>", "headers": e2etest.Fault{"Content-Type": "text/html"}}, 502, "platform.failed", false},
}

// Whatever the platform answers, each operation answers according to its contract,
// without the platform's words.
func TestPlatform_Misbehaves(t *testing.T) {
	t.Parallel()
	app := e2etest.BootGuarded(t, io.Discard, "RATE_LOOKUP=off", "RATE_VERIFICATION=off")
	alice, carol := e2etest.Program(t, app.App).SignedIn("alice@sandbox"), operator(t, app.App)
	for _, a := range everyOperation {
		ask := a.prepare(t, app.App, alice, carol) // none of the following carries it out
		for _, m := range misbehaviours {
			broken := e2etest.Fault{"operation": a.operation, "times": 0}
			maps.Copy(broken, m.fault)
			if _, told := broken["body"]; !told {
				broken["body"] = map[string]any{"error": words, "message": words, "code": 7}
			}
			e2etest.Manage(t, app.App, "POST", "/faults", broken)
			r, status, key := ask(), m.status, m.key
			if m.misplaced && !strings.Contains(a.request.path, "{id}") {
				status, key = http.StatusBadGateway, "platform.failed"
			}
			what := a.operation + ", " + m.name
			if r.Status != status || r.Text("key") != key {
				t.Errorf("%s: %d %s, want %d %s", what, r.Status, r.Body, status, key)
			}
			app.TellsNothing(t, what, r)
			lacks(t, r, "raw words", "vendor.example", "s3cret")
			if status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", what)
			}
			e2etest.Manage(t, app.App, "DELETE", "/faults", nil)
		}
	}
}
