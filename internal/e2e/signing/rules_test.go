package signing_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A later call's values are checked together with the package at the platform.
func rulesOfLaterCalls(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	content := base64.StdEncoding.EncodeToString([]byte(paper("A")))
	id := alice.Send("POST", "/api/packages", `{"name":"a","roles":[
		{"id":"r1","signers":[{"email":"one@b.co","firstName":"A","lastName":"B"}]},{"id":"r2","signers":[{"email":"two@b.co","firstName":"A","lastName":"B"}]}],
		"documents":[{"id":"d","name":"D","base64Content":"`+content+`","approvals":[{"id":"a","role":"r1","fields":[{"id":"f","type":"SIGNATURE","subtype":"FULLNAME"}]}]}]}`).Want(200).Text("id")
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	const person = `,"firstName":"A","lastName":"B"}]}`
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/roles", `{"id":"r1","signers":[{"email":"TWO@b.co"` + person, "/id /signers/0/email"},
		{"PUT", "/roles/r1", `{"id":"r2","signers":[{"email":"two@b.co"}]}`, "/id /signers/0/email"},
		{"POST", "/roles/r1", `{"signers":[{"notificationMethods":{"primary":["SMS"]}}]}`, "/signers/0/phone"},
		{"PUT", "/roles", `[{"id":"r2","index":0},{"id":"r2","index":1}]`, "/1/id"},
		{"PUT", "", `{"description":"` + strings.Repeat("x", 4001) + `"}`, "/description"},
		{"PUT", "", `{"name":"","type":"BOX","documents":[{"approvals":[{"role":"r9"}]}]}`, "/name /type /documents/0/approvals/0/role"},
		{"POST", "/documents", `[{"base64Content":"` + content + `","approvals":[{"role":"r9"}]},{"id":"zip","external":{"id":"x"}}]`, "/0/approvals/0/role /1/id"},
		{"PUT", "/documents/d", `{"name":"a:b","approvals":[{"role":"r9","fields":[{"extract":true,"name":"x"}]}]}`, "/name /approvals/0/role /approvals/0/fields/0/extract"},
		{"POST", "/documents/d/approvals", `{"role":"r9","fields":[{"type":"SIGNATURE"},{"type":"SIGNATURE"}]}`, "/role /fields/1"},
		{"PUT", "/documents/d/approvals", `[{"role":"r1"},{}]`, "/1/role"},
		{"PUT", "/documents/d/approvals/a", `{"role":"r9"}`, "/role"},
		{"POST", "/documents/d/approvals/a/fields", `{"type":"SIGNATURE","subtype":"INITIALS"}`, "/type"},
		{"PUT", "/documents/d/approvals/a/fields/f", `{"subtype":"LABEL"}`, "/subtype"},
		{"POST", "/documents/d/approvals/a/fields/f", `{"type":"INPUT"}`, "/subtype"},
	} {
		r := alice.Send(c.method, "/api/packages/"+id+c.path, c.body).Refused(400, "request.invalid")
		if got := e2etest.Pointers(t, r); got != c.want {
			t.Errorf("%s %s %s is refused at %q, want %q", c.method, c.path, c.body, got, c.want)
		}
	}
	for path, body := range map[string]string{
		"/roles": `[]`, "/roles/r1": `{"id":"r1","id":"r1"}`, "/documents/d/approvals": `[]`, "/clone": `{"name":"\ud800"}`, "/reminders": ``, "/notifications": `{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "/documents/visibility": `5`,
	} {
		alice.Send("POST", "/api/packages/"+id+path, body).Refused(400, "request.malformed")
	}
	for _, operation := range e2etest.Journal(t, app) {
		if !strings.HasPrefix(operation, "get") && operation != "listPackages" {
			t.Errorf("the platform was asked for %s", operation)
		}
	}
}

// The rules of custom fields, which belong to no package.
func rulesOfCustomFields(t *testing.T, app *e2etest.App) {
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	const path = "/api/account/customfields"
	for method, body := range map[string]string{"POST": `{}`, "PUT": `{"id":"city","value":"","translations":[]}`} {
		if got := e2etest.Pointers(t, carol.Send(method, path, body).Refused(400, "request.invalid")); got != "/value /translations" {
			t.Errorf("%s %s is refused at %q", method, body, got)
		}
	}
}
