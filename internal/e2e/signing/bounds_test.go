package signing_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// deep returns JSON with so many nested arrays.
func deep(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// packaged returns a package with a role, a document, an approval and a field, in one
// JSON.
func packaged(more string) string {
	return `{"name":"a","roles":[{"id":"r1","signers":[{"email":"one@b.co","firstName":"A","lastName":"B"}]}],"documents":[{"id":"d","name":"D","base64Content":"` +
		base64.StdEncoding.EncodeToString([]byte(paper("A"))) + `","approvals":[{"id":"a","role":"r1","fields":[{"id":"f","type":"SIGNATURE","subtype":"FULLNAME"}]}]}]` + more + `}`
}

// In every form of payload, sixty-four levels are the limit, and the error names no
// place.
func depthOfPayloads(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := "/api/packages/" + alice.Send("POST", "/api/packages", packaged("")).Want(200).Text("id")
	alice.Send("POST", "/api/packages", packaged(`,"x":`+deep(63))).Want(200)
	alice.Send("PUT", path, `{"x":`+deep(63)+`}`).Want(200)
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	refused := func(r e2etest.Reply) {
		t.Helper()
		if r.Refused(400, "request.malformed").Member("fields") != nil {
			t.Errorf("%s: %s", r.What, r.Body)
		}
	}
	body := `{"x":` + deep(64) + `}`
	for _, c := range [][2]string{
		{"POST", "/api/packages"}, {"PUT", path}, {"POST", path + "/clone"}, {"POST", path + "/roles"}, {"PUT", path + "/roles/r1"},
		{"POST", path + "/roles/r1/notifications"}, {"POST", path + "/roles/r1/sms_notification"}, {"POST", path + "/notifications"}, {"PUT", path + "/reminders"},
		{"POST", path + "/documents"}, {"PUT", path + "/documents/d"}, {"POST", path + "/documents/visibility"}, {"POST", path + "/documents/d/approvals"},
		{"PUT", path + "/documents/d/approvals/a"}, {"POST", path + "/documents/d/approvals/a/fields"}, {"PUT", path + "/documents/d/approvals/a/fields/f"},
		{"POST", "/api/authenticationTokens/signer/singleUse"},
	} {
		refused(alice.Send(c[0], c[1], body))
	}
	for _, c := range [][2]string{{"PUT", path + "/roles"}, {"PUT", path + "/documents"}, {"DELETE", path + "/documents"}, {"PUT", path + "/documents/d/approvals"}} {
		refused(alice.Send(c[0], c[1], deep(65)))
	}
	refused(upload(alice, "/api/packages", form(payload(body), attached("a", paper("A")))))
	refused(upload(alice, "/api/packages", form(attached("a", paper("A")), payload(body))))
	for _, operation := range e2etest.Journal(t, app) {
		if !strings.HasPrefix(operation, "get") {
			t.Errorf("the platform was asked for %s", operation)
		}
	}
}

// A new package's files may take up to MAX_UPLOAD; its other JSON, and all later changes,
// are limited to a mebibyte.
func jsonIsBounded(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := "/api/packages/" + alice.Send("POST", "/api/packages", packaged("")).Want(200).Text("id")
	filler := func(json string, over int) string {
		return strings.TrimSuffix(json, "}") + strings.Repeat(" ", 1<<20-len(json)+over) + "}"
	}
	file := base64.StdEncoding.EncodeToString([]byte(paper(strings.Repeat("x\n% ", 3<<17))))
	content := `{"id":"e","name":"E","base64Content":"` + file + `"}`
	for _, c := range []struct {
		method, path, body string
		large              bool
	}{
		{"POST", "/api/packages", filler(`{"name":"b"}`, 1), true},
		{"POST", "/api/packages", strings.TrimSuffix(`{"name":"b","documents":[`+content+`]}`, "}") + strings.Repeat(" ", 1<<19) + "}", false},
		{"POST", path + "/documents", content, false}, {"POST", path + "/documents", content[:len(content)-1] + strings.Repeat(" ", 1<<20) + "}", true},
		{"PUT", path + "/documents/d", content, true}, {"POST", path + "/documents/d", content, true},
		{"PUT", path + "/documents/d", filler(`{"name":"D"}`, 1), true},
		{"PUT", path, filler(`{"name":"b"}`, 1), true},
		{"POST", path + "/clone", filler(`{"name":"b"}`, 1), true}, {"PUT", path + "/roles/r1", filler(`{"name":"b"}`, 1), true},
	} {
		r := alice.Send(c.method, c.path, c.body)
		if c.large {
			r.Refused(413, "request.too-large")
			continue
		}
		r.Want(200)
	}
	upload(alice, path+"/documents/d", form(payload(`{"name":"D"}`), attached("d", paper(strings.Repeat("x\n% ", 3<<18))))).Want(200)
	upload(alice, path+"/documents/d", form(payload(filler(`{"name":"D"}`, 1)), attached("d", paper("D")))).Refused(413, "request.too-large")
}

// long returns a text of so many letters.
func long(letters int) string { return strings.Repeat("x", letters) }

// A text that is too long is refused at its place in every form of a package, and nothing
// reaches the platform.
func longTextsAreRefused(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	path := "/api/packages/" + alice.Send("POST", "/api/packages", packaged("")).Want(200).Text("id")
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	body := `{"name":"` + long(256) + `","description":"` + long(4001) + `","data":{"a":"` + long(16<<10) + `"},"x":"` + long(64<<10+1) + `","documents":[{}]}`
	const pointers = "/name /description /data /x"
	for _, r := range []e2etest.Reply{
		alice.Send("POST", "/api/packages", strings.Replace(body, `{}`, `{"external":{}}`, 1)), upload(alice, "/api/packages", form(payload(body), attached("a", paper("A")))),
		upload(alice, "/api/packages", form(attached("a", paper("A")), payload(body))), alice.Send("PUT", path, body), alice.Send("POST", path, body), alice.Send("POST", path+"/clone", body),
	} {
		if got := e2etest.Pointers(t, r.Refused(400, "request.invalid")); got != pointers {
			t.Errorf("%s is refused at %q", r.What, got)
		}
	}
	for _, operation := range e2etest.Journal(t, app) {
		if !strings.HasPrefix(operation, "get") {
			t.Errorf("the platform was asked for %s", operation)
		}
	}
}

// A package's texts from before may stay too long, while everything else in it may
// change.
func aStoredPackageMayBeTooMuch(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	stored := `"description":"` + long(5000) + `","data":{"countersign":{"owner":"alice@sandbox"},"a":"` + long(20_000) + `"}`
	made := strings.Replace(packaged(`,`+stored), `"id":"r1",`, `"id":"r1","name":"`+long(300)+`",`, 1)
	path := "/api/packages/" + e2etest.AtPlatform(t, app, "POST", "/api/packages", made).Text("id")
	for _, c := range []struct{ method, path, body, refused string }{
		{"PUT", "", `{"name":"b","description":"` + long(5000) + `"}`, ""}, {"PUT", "", `{"name":"b"}`, ""}, {"PUT", "", `{"description":"` + long(5001) + `"}`, "/description"},
		{"PUT", "", `{"data":{"a":"` + long(20_000) + `"}}`, ""}, {"PUT", "", `{"data":{"a":"` + long(20_000) + `","b":1}}`, "/data"},
		{"PUT", "/roles/r1", `{"name":"` + long(300) + `","reassign":true}`, ""}, {"PUT", "/roles/r1", `{"name":"` + long(301) + `"}`, "/name"},
		{"PUT", "/roles/r1", `{"reassign":false}`, ""}, {"POST", "/clone", `{"description":"` + long(5000) + `"}`, "/description"}, {"POST", "/clone", `{"name":"c"}`, ""},
		{"PUT", "", string(alice.Send("GET", path, nil).Want(200).Body), ""}, // the sender in it is the stored one
		{"PUT", "", `{"sender":{"email":"sandbox@sandbox.example","title":"","company":""}}`, ""}, {"PUT", "", `{"sender":{"email":"alice@sandbox.example"}}`, "/sender"},
	} {
		r := alice.Send(c.method, path+c.path, c.body)
		if c.refused == "" {
			r.Want(200)
			continue
		}
		if got := e2etest.Pointers(t, r.Refused(400, "request.invalid")); got != c.refused {
			t.Errorf("%s %s %.60s is refused at %q, want %q", c.method, c.path, c.body, got, c.refused)
		}
	}
	whole := alice.Send("GET", path, nil).Want(200)
	e2etest.Program(t, app).SignedIn("carol@sandbox").Send("PUT", path, string(whole.Body)).Want(200)
}
