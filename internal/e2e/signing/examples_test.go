package signing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/e2e/e2etest"
)

// The example of each request body below /api is accepted, as it stands in the document that
// the program serves.
func TestExamples_Accepted(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=off", "SIGNING_CUSTOM_FIELDS=on")
	clients := map[string]*e2etest.Client{}
	for _, user := range []string{"alice", "bob", "carol"} {
		clients[user] = e2etest.Program(t, app).SignedIn(user + "@sandbox")
	}
	var document struct {
		Paths map[string]map[string]jsontext.Value `json:"paths"`
	}
	if err := json.Unmarshal(clients["alice"].Send("GET", "/openapi.json", nil).Want(http.StatusOK).Body, &document); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for path, operations := range document.Paths {
		for method, operation := range operations {
			example := exampleOf(t, operation)
			if example == nil || !strings.HasPrefix(path, "/api/") {
				continue
			}
			sent++
			thing := exampleThing(t, clients["alice"], document.Paths["/api/packages"]["post"], method+" "+path)
			who := clients["alice"]
			switch {
			case strings.Contains(path, "uthenticationTokens"):
				who = clients["bob"]
			case strings.Contains(path, "erasure"), strings.Contains(path, "customfields"):
				who = clients["carol"]
			}
			body := jsontext.Value(thing.Replace(string(example)))
			if r := who.Send(strings.ToUpper(method), thing.Replace(path), body); r.Status/100 != 2 {
				t.Errorf("%s %s: the example %s is answered %d %s", method, path, body, r.Status, r.Body)
			}
		}
	}
	if sent < 40 {
		t.Errorf("%d examples were sent", sent)
	}
}

// exampleOf returns the example of an operation's request body, nil if it takes none in JSON,
// and fails if it takes one without an example.
func exampleOf(t *testing.T, operation jsontext.Value) jsontext.Value {
	t.Helper()
	var read struct {
		OperationID string `json:"operationId"`
		RequestBody struct {
			Content map[string]struct {
				Example  jsontext.Value            `json:"example"`
				Examples map[string]jsontext.Value `json:"examples"`
			} `json:"content"`
		} `json:"requestBody"`
	}
	if json.Unmarshal(operation, &read) != nil { // the parameters of all
		return nil
	}
	for kind, media := range read.RequestBody.Content {
		if media.Example == nil && media.Examples == nil {
			t.Errorf("%s: %s has no example", read.OperationID, kind)
		}
	}
	return read.RequestBody.Content["application/json"].Example
}

// exampleThing makes what an example is about, a package by the example of one or a
// verification, and returns a replacer of the names in paths and bodies.
func exampleThing(t *testing.T, c *e2etest.Client, makesPackage jsontext.Value, operation string) *strings.Replacer {
	t.Helper()
	const exampleID = "0b5d9f6e-2c3a-4f1d-9a7e-3c2b1a0f9e8d"
	if strings.Contains(operation, " /api/transaction") {
		body := map[string]any{"users": []any{map[string]any{"first_name": "Bob", "last_name": "Signer"}}}
		id := c.Send("POST", "/api/transaction", body).Want(http.StatusOK).Text("id")
		if strings.Contains(operation, "unmark") {
			marks := map[string]any{"grace_period": 7, "transaction_ids": []any{id}}
			e2etest.Program(t, c.App).SignedIn("carol@sandbox").Send("POST", "/api/transaction/mark-for-erasure", marks).Want(http.StatusOK)
		}
		return strings.NewReplacer("{transaction}", id, exampleID, id)
	}
	id := c.Send("POST", "/api/packages", exampleOf(t, makesPackage)).Want(http.StatusOK).Text("id")
	if strings.Contains(operation, "notification") || strings.Contains(operation, "uthenticationTokens") || strings.Contains(operation, "unlock") {
		c.Send("PUT", "/api/packages/"+id, map[string]any{"status": "SENT"}).Want(http.StatusOK)
	}
	if operation == "put /api/packages/{package}/reminders" {
		c.Send("POST", "/api/packages/"+id+"/reminders", map[string]any{"repetitionsCount": 1}).Want(http.StatusOK)
	}
	return strings.NewReplacer("{package}", id, "lease-of-the-mill", id, "{role}", "tenant", "{document}", "lease", "{approval}", "lease-tenant",
		"{field}", "place", "{use}", "singleUse", "{signer}", "tenant", "{customField}", "branch")
}
