package signing_test

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestPackage_HasEveryMember(t *testing.T) {
	c := start(t)
	path := c.create(object{
		"name": "Loan", "due": "2090-01-01T12:00:00.500+01:00", "data": object{"a": 1}, "settings": object{"ceremony": object{"ada": true}}, "unheard": 1,
		"id": "mine", "created": "2000-01-01T00:00:00Z", "sender": object{"email": "eve@evil.example"}, "notarized": true, "limits": object{"roles": 1},
		"roles": []object{signerRole("signer1", "Ada@Example.ORG"), {"name": "Later"}},
	})
	if !regexp.MustCompile(`^/api/packages/[A-Za-z0-9_-]{27}=$`).MatchString(path) {
		t.Errorf("the id of %s has another form", path)
	}
	p := c.get(path).ok()
	same(t, "members", len(p), 27)
	for member, want := range map[string]any{
		"name": "Loan", "status": "DRAFT", "type": "PACKAGE", "visibility": "ACCOUNT", "autocomplete": true, "trashed": false, "notarized": true,
		"bulkSendable": false, "description": "", "emailMessage": "", "completed": nil, "due": "2090-01-01T11:00:00Z", "language": "en",
		"data": object{"a": 1.0, "origin": "api"}, "settings.ceremony.ada": true, "settings.ceremony.inPerson": false, "settings.ceremony.optOutReasons": []any{}, "limits": nil, "messages": []any{},
		"sender.email": "sandbox@sandbox.example", "roles.0.id": "signer1", "roles.0.type": "SIGNER", "roles.0.index": 0.0,
		"roles.0.reassign": false, "roles.0.locked": false, "roles.0.data": nil, "roles.0.emailMessage": nil, "roles.0.specialTypes": []any{},
		"roles.0.attachmentRequirements": []any{}, "roles.0.signers.0.id": "signer1", "roles.0.signers.0.email": "ada@example.org",
		"roles.0.signers.0.name": "Ada Lovelace", "roles.0.signers.0.company": "", "roles.0.signers.0.title": "",
		"roles.0.signers.0.auth": object{"scheme": "NONE", "challenges": []any{}}, "roles.0.signers.0.signerType": "EXTERNAL_SIGNER",
		"roles.0.signers.0.notificationMethods.primary": []any{"EMAIL"}, "roles.0.signers.0.phone": nil, "roles.0.signers.0.language": "en",
		"roles.0.signers.0.delivery": object{"provider": false, "email": false, "download": true},
		"roles.0.signers.0.group":    nil, "roles.0.signers.0.knowledgeBasedAuthentication": nil,
		"roles.1.signers": []any{}, "roles.1.type": "SIGNER",
		"roles.2.type": "SENDER", "roles.2.signers.0.email": "sandbox@sandbox.example",
		"documents.0.id": "default-consent", "documents.0.approvals": []any{}, "documents.0.data": object{},
	} {
		same(t, member, at(t, p, member), want)
	}
	for _, member := range []string{"created", "updated", "sender.created", "roles.0.signers.0.updated"} {
		if text := at(t, p, member).(string); !strings.HasSuffix(text, "Z") || len(text) != 20 || text < "2020" {
			t.Errorf("%s is %s", member, text)
		}
	}
	if at(t, p, "roles.1.id") == "" {
		t.Error("a role without an id")
	}
}

func TestPackages_Refused(t *testing.T) {
	c := start(t)
	const invalid, malformed = "error.validation.payload.invalid", "error.validation.payload.malformed"
	for body, key := range map[string]string{
		`{}`: invalid, `{"name":""}`: invalid, `{"name":null}`: invalid, `{"name":"a","status":"GONE"}`: invalid, `{"name":"a","type":"FOLDER"}`: invalid,
		`{"name":"a","roles":[{"type":"GUEST"}]}`:       invalid,
		`{"name":"a","roles":[{"id":"a"},{"id":"a"}]}`:  invalid,
		`{"name":"a","roles":[{"signers":[{}]}]}`:       invalid,
		`{"name":"a","documents":[{"approvals":[{}]}]}`: malformed, // a document without a file
		`{"name":1}`: malformed, `[]`: malformed, ``: malformed, `{`: malformed, `{"name":"a","name":"b"}`: malformed, `{"name":"a","due":"soon"}`: malformed,
		`{"name":"a","status":"COMPLETED"}`:                        "error.validation.package.invalidState",
		`{"name":"a","type":"template","status":"SENT"}`:           "error.validation.package.invalidState",
		`{"name":"a","status":"SENT","roles":[{"type":"SIGNER"}]}`: "error.validation.packageActivation.unassignedRole",
	} {
		c.call("POST", "/api/packages", body).refused(http.StatusBadRequest, key)
	}
	same(t, "packages", c.get("/api/packages").ok()["count"], 0)
	c.send("POST", "/api/packages", "text/plain", strings.NewReader(`{"name":"a"}`)).refused(http.StatusUnsupportedMediaType, "error.unexpected.platformError")
	c.get("/api/packages/none").refused(http.StatusNotFound, "error.notFound.packageNotFound")
	c.put("/api/packages/none", object{"name": "a"}).refused(http.StatusNotFound, "error.notFound.packageNotFound")
	c.post("/api/packages/none/clone", object{"name": "a"}).refused(http.StatusNotFound, "error.notFound.packageNotFound")
	c.delete("/api/packages/none").refused(http.StatusNotFound, "error.notFound.packageNotFound")
	two := object{"name": "a", "roles": []object{signerRole("a", "ada@example.org"), signerRole("b", "ADA@example.org")}}
	c.post("/api/packages", two).refused(http.StatusBadRequest, invalid)
	sms := signerRole("a", "ada@example.org")
	sms["signers"].([]object)[0]["notificationMethods"] = object{"primary": []string{"EMAIL", "SMS"}}
	c.post("/api/packages", object{"name": "a", "roles": []object{sms}}).refused(http.StatusBadRequest, invalid)
	sms["signers"].([]object)[0]["phone"] = "+431234567"
	c.create(object{"name": "a", "roles": []object{sms}})
}

func TestPackage_UpdateChangesNamedMembers(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "description": "first", "data": object{"a": 1}, "roles": []object{signerRole("a", "ada@example.org")}})
	before := c.get(path).ok()
	c.put(path, object{"description": "second", "roles": []object{}, "documents": nil, "id": "x", "completed": "2020-01-01T00:00:00Z"}).empty()
	c.post(path, object{"autocomplete": false, "language": nil}).empty()
	after := c.get(path).ok()
	for member, want := range map[string]any{
		"description": "second", "autocomplete": false, "language": nil, "name": "Loan", "id": before["id"], "roles": before["roles"],
		"documents": before["documents"], "data": before["data"], "created": before["created"], "completed": nil,
	} {
		same(t, member, after[member], want)
	}
	c.put(path, object{"name": ""}).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	same(t, "name", c.get(path).ok()["name"], "Loan")
}

func TestPackage_Statuses(t *testing.T) {
	c := start(t)
	const state = "error.validation.package.invalidState"
	path := c.create(object{"name": "Loan", "roles": []object{signerRole("a", "ada@example.org"), {"id": "empty"}}})
	status := func() any { return c.get(path + "/signingStatus?signer=&document=").ok()["status"] }
	same(t, "signing status", status(), "DRAFT")
	c.put(path, object{"status": "SENT"}).refused(http.StatusBadRequest, "error.validation.packageActivation.unassignedRole")

	path = c.create(object{"name": "Loan", "status": "SENT", "roles": []object{signerRole("a", "ada@example.org")}})
	same(t, "signing status", status(), "SIGNING_PENDING")
	same(t, "of a signer", c.get(path + "/signingStatus?signer=ADA@example.org").ok()["status"], "SIGNING_PENDING")
	c.get(path+"/signingStatus?signer=nobody").refused(http.StatusNotFound, "error.notFound.signerNotFound")
	c.get(path+"/signingStatus?document=none").refused(http.StatusNotFound, "error.notFound.documentNotFound")
	for _, to := range []string{"COMPLETED", "ARCHIVED", "EXPIRED"} {
		c.put(path, object{"status": to}).refused(http.StatusBadRequest, state)
	}
	c.put(path, object{"name": "Other"}).refused(http.StatusBadRequest, state)
	c.put(path, object{"status": "DRAFT", "name": "Loan"}).empty()
	c.put(path, object{"name": "Other"}).empty()
	c.put(path, object{"status": "SENT"}).empty()
	c.post(path, object{"status": "OPTED_OUT"}).refused(http.StatusBadRequest, "error.validation.optOut.invalidComment")
	c.post(path, object{"status": "DECLINED", "messages": []object{{"content": "No.", "from": object{"id": "a"}}}}).empty()
	same(t, "signing status", status(), "DECLINED")
	p := c.get(path).ok()
	same(t, "reason", at(t, p, "messages.0.content"), "No.")
	same(t, "its status", at(t, p, "messages.0.status"), "NEW")

	path = c.create(object{"name": "Loan", "status": "SENT", "due": "2090-01-01T00:00:00Z"})
	c.put(path, object{"trashed": true}).empty()
	same(t, "trashed", status(), "DELETED")
	c.put(path, object{"trashed": false, "due": "2000-01-01T00:00:00Z"}).empty()
	same(t, "after its due date", status(), "EXPIRED")
	c.delete(path).empty()
	c.get(path).refused(http.StatusNotFound, "error.notFound.packageNotFound")
}

func TestUploads_AnyOrder(t *testing.T) {
	c := start(t)
	payload := object{"name": "Loan", "documents": []object{{"id": "z", "name": "Z"}, {"name": "A"}}}
	for _, order := range []string{"payload file file", "file payload file", "file file payload"} {
		p := c.get("/api/packages/" + c.upload("POST", "/api/packages", payload, order, blankPDF+"1", blankPDF+"22").ok()["id"].(string)).ok()
		same(t, order, len(p["documents"].([]any)), 3)
		same(t, "the first file's size", at(t, p, "documents.1.size"), len(blankPDF)+1)
		same(t, "the second's", at(t, p, "documents.2.size"), len(blankPDF)+2)
		if _, there := at(t, p, "documents.1").(object)["base64Content"]; there {
			t.Error("base64Content is answered")
		}
	}
	inline := object{"name": "Loan", "documents": []object{{"name": "A", "base64Content": base64.StdEncoding.EncodeToString([]byte(blankPDF))}}}
	c.create(inline)
	c.create(object{"name": "Loan", "documents": []object{{"name": "elsewhere", "external": object{"id": "1"}}}})
	const malformed = "error.validation.payload.malformed"
	c.upload("POST", "/api/packages", payload, "payload file", blankPDF).refused(http.StatusBadRequest, malformed)
	c.upload("POST", "/api/packages", payload, "payload file file file", blankPDF, blankPDF, blankPDF).refused(http.StatusBadRequest, malformed)
	c.upload("POST", "/api/packages", payload, "file file", blankPDF, blankPDF).refused(http.StatusBadRequest, malformed)
	c.upload("POST", "/api/packages", payload, "payload file file", blankPDF, "GIF89a\x00").refused(http.StatusBadRequest, "error.validation.document.unsupportedFormat")
	c.send("POST", "/api/packages", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{\"name\":\"a\"}")).
		refused(http.StatusBadRequest, malformed)
	dangling := object{"name": "Loan", "documents": []object{{"name": "A", "approvals": []object{{"role": "nobody"}}}}}
	c.upload("POST", "/api/packages", dangling, "payload file", blankPDF).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	same(t, "packages", c.get("/api/packages").ok()["count"], 5)
}

// Two simultaneous updates are both kept, and one of two simultaneous deletions is
// refused.
func TestPackages_SimultaneousChanges(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan"})
	var all sync.WaitGroup
	for _, change := range []object{{"description": "d"}, {"emailMessage": "m"}, {"autocomplete": false}, {"language": "fr"}} {
		all.Go(func() { c.put(path, change).empty() })
	}
	all.Wait()
	p := c.get(path).ok()
	same(t, "package", []any{p["description"], p["emailMessage"], p["autocomplete"], p["language"]}, []any{"d", "m", false, "fr"})
	var deleted atomic.Int32
	for range 4 {
		all.Go(func() {
			if c.delete(path).status == http.StatusOK {
				deleted.Add(1)
			}
		})
	}
	all.Wait()
	same(t, "deletions", deleted.Load(), 1)
}
