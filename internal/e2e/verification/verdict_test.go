package verification_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

const (
	notFound      = "request.not-found"
	notReady      = "verification.not-ready"
	wrongState    = "verification.state"
	operatorsOnly = "verification.operators-only"
)

// operation is an operation on a transaction as a client calls it, with its result in
// each kind of state: the key of the refusal, "" if it is carried out.
type operation struct {
	method, path string
	body         any
	active       string
	completed    string
	cancelled    string
	// operator is the result for an operator who did not start it.
	operator string
}

var operations = []operation{
	{method: "GET", path: "/transaction/{id}"},
	{method: "GET", path: "/transactions/{id}/verification"},
	{method: "GET", path: "/transaction/{id}/evidence", active: notReady, cancelled: wrongState},
	{method: "GET", path: "/transactions/{id}/document/AuditTrailDocument/pdf", active: notReady, cancelled: wrongState},
	{method: "GET", path: "/transaction/{id}/document/contract/pdf"},
	{method: "GET", path: "/transactions/{id}/detailed-verification-report"},
	{method: "GET", path: "/transactions/{id}/verifications/" + unknownID + "/verification-images", active: notFound, completed: notFound, cancelled: notFound},
	{method: "GET", path: "/transaction/{id}/verifications/" + unknownID + "/verification-images/selfie", active: notFound, completed: notFound, cancelled: notFound},
	{method: "GET", path: "/transactions/{id}/audit-trail", active: notFound, completed: notFound, cancelled: notFound},
	{method: "POST", path: "/transaction/{id}/token", body: map[string]any{"role": "customer"}, completed: wrongState, cancelled: wrongState, operator: notFound},
	{method: "POST", path: "/transactions/{id}/generate-audit-trail", completed: wrongState, cancelled: wrongState},
	{method: "PUT", path: "/transaction/{id}/event", body: map[string]any{"trigger": "transaction_cancelled"}, completed: wrongState, cancelled: wrongState},
}

// refusal returns the key of an answer that refuses, or "" for a success.
func refusal(r e2etest.Reply) string {
	if r.Status < 300 {
		return ""
	}
	return r.Text("key")
}

// states are the states of a transaction, and an unknown one.
var states = []string{
	"new", "post_processing", "a_state_to_come", "completed", "expired",
}

// in returns the operation's result in a state.
func (o operation) in(state string) string {
	switch state {
	case "completed":
		return o.completed
	case "cancelled", "expired", "error":
		return o.cancelled
	}
	return o.active
}

func whoMayWhatInEachState(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	carol, nobody := e2etest.Program(t, app).SignedIn("carol@sandbox"), e2etest.Program(t, app)
	for _, state := range states {
		id := withDocument(alice)
		inState(t, app, id, state)
		if got := alice.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK).Text("status"); got != state {
			t.Errorf("%s is told as %s", state, got)
		}
		for _, o := range operations { // the last one cancels
			want := o.in(state)
			o.of(nobody, id).Refused(http.StatusUnauthorized, "session.required")
			o.of(bob, id).Refused(http.StatusNotFound, notFound)
			if o.operator != "" {
				o.of(carol, id).Refused(http.StatusNotFound, o.operator)
			} else if o.method == "GET" || want != "" {
				if got := refusal(o.of(carol, id)); got != want {
					t.Errorf("operator, %s %s, %s: %q, want %q", o.method, o.path, state, got, want)
				}
			}
			if got := refusal(o.of(alice, id)); got != want {
				t.Errorf("starter, %s %s, %s: %q, want %q", o.method, o.path, state, got, want)
			}
		}
	}
}

// The verifications are included on request, as an empty list before there are any, and
// not otherwise.
func verificationsAreAskedFor(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := "/api/transaction/" + started(alice)
	if list, ok := alice.Send("GET", path+"?withVerifications=true", nil).Want(http.StatusOK).Member("verifications").([]any); !ok || len(list) > 0 {
		t.Errorf("asked for, they are %v", list)
	}
	for _, query := range []string{"", "?withVerifications=false"} {
		lacks(t, alice.Send("GET", path+query, nil).Want(http.StatusOK), `"verifications"`)
	}
	for _, query := range []string{"yes", "TRUE", "1", "", "true&withVerifications=false"} {
		r := alice.Send("GET", path+"?withVerifications="+query, nil).Refused(http.StatusBadRequest, "request.invalid")
		has(t, r, `"pointer":"/withVerifications"`)
	}
}

// withDocument is a transaction of c's that has a document.
func withDocument(c *e2etest.Client) string {
	c.T.Helper()
	body := input()
	body["documents"] = []any{map[string]any{"id": "contract", "content": pdf}}
	return c.Send("POST", "/api/transactions", body).Want(http.StatusOK).Text("id")
}

// pdf is a document in base64.
const pdf = "JVBERi0xLjcKJSVFT0Y="

// inState brings a transaction into a state.
func inState(t *testing.T, app *e2etest.App, id, state string) {
	t.Helper()
	if state != "new" {
		e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": state})
	}
}

func tokensAreTheStarters(t *testing.T, app *e2etest.App) {
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	id, own := started(alice), started(carol)
	tokens := func(c *e2etest.Client, id string) bool {
		body := string(c.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK).Body)
		return strings.Contains(body, `"accessUrl"`) || strings.Contains(body, "access_token")
	}
	if !tokens(alice, id) || tokens(carol, id) || !tokens(carol, own) {
		t.Errorf("starter %t, operator %t, of their own %t", tokens(alice, id), tokens(carol, id), tokens(carol, own))
	}
	token := alice.Send("POST", "/api/transactions/"+id+"/token", map[string]any{"role": "customer"}).Want(http.StatusOK)
	if !strings.HasPrefix(token.Text("accessUrl"), app.SandboxURL()+"/") || token.Text("role") != "customer" {
		t.Errorf("a token: %s", token.Body)
	}
	alice.Send("POST", "/api/transactions/"+id+"/token", map[string]any{"role": "nobody"}).Refused(http.StatusBadRequest, "request.invalid")
	lacks(t, cancels(carol, id).Want(http.StatusOK), "accessUrl", `"tokens"`)
}

func passed(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn(somebodyNew(t, app))
	id := started(alice)
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed", "result": "Passed"})
	for _, path := range []string{"", "?withVerifications=true", "/verification", "/detailed-verification-report"} {
		body := string(alice.Send("GET", "/api/transactions/"+id+path, nil).Want(http.StatusOK).Body)
		for _, never := range []string{"sfs:", "tenant_id", "cs1.", "sandbox-token"} {
			if strings.Contains(body, never) {
				t.Errorf("%s shows %s: %s", path, never, body)
			}
		}
		if strings.Contains(strings.ReplaceAll(body, `"accessUrl":"`+app.SandboxURL(), ""), app.SandboxURL()) {
			t.Errorf("%s shows the platform: %s", path, body)
		}
		if path == "/detailed-verification-report" && !strings.Contains(body, app.URL()+"/api/transactions/"+id+"/verifications/") {
			t.Errorf("the report has no picture of ours: %s", body)
		}
	}
	evidence := alice.Send("GET", "/api/transactions/"+id+"/evidence", nil).Want(http.StatusOK)
	if evidence.Header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(string(evidence.Body), "%PDF-") {
		t.Errorf("evidence: %v, %.20s", evidence.Header, evidence.Body)
	}
	list := string(alice.Send("GET", "/api/transactions?status=completed", nil).Want(http.StatusOK).Body)
	if !strings.Contains(list, `"result":"Passed"`) || !strings.Contains(list, `"count":1`) {
		t.Errorf("listed as %s", list)
	}
	for _, bad := range []string{"status=done", "from=a", "from=0", "to=-1"} {
		alice.Send("GET", "/api/transactions?"+bad, nil).Refused(http.StatusBadRequest, "request.invalid")
	}
}
