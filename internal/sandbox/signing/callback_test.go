package signing_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// receiver accepts callbacks, after refusing the first ones with these statuses.
func receiver(t *testing.T, refusals ...int) (url string, taken <-chan object) {
	t.Helper()
	bodies := make(chan object, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body object
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		body["authorization"] = r.Header.Get("Authorization")
		if len(refusals) > 0 {
			w.WriteHeader(refusals[0])
			refusals = refusals[1:]
			return
		}
		w.WriteHeader(http.StatusNoContent)
		bodies <- body
	}))
	t.Cleanup(server.Close)
	return server.URL + "/callbacks", bodies
}

func TestCallback_SendsEvents(t *testing.T) {
	c := start(t)
	url, taken := receiver(t)
	c.manage("PUT", "account", object{"callbackURL": url, "callbackKey": "k=="})
	path := c.sentPackage(nil)
	id := strings.TrimPrefix(path, "/api/packages/")
	want := func(name, user string, more object) {
		t.Helper()
		body := <-taken
		same(t, "name", body["name"], name)
		same(t, "packageId of "+name, body["packageId"], id)
		same(t, "sessionUser of "+name, body["sessionUser"], user)
		same(t, "authorization", body["authorization"], "Basic k==")
		if class, _ := body["@class"].(string); class == "" {
			t.Errorf("%s has no @class", name)
		}
		for _, member := range []string{"message", "documentId"} {
			if _, has := body[member]; !has {
				t.Errorf("%s has no %s, not even null", name, member)
			}
		}
		for member, value := range more {
			same(t, member+" of "+name, body[member], value)
		}
		if date, _ := body["createdDate"].(string); !strings.HasSuffix(date, "Z") || len(date) != len("2017-05-02T20:17:58.408Z") {
			t.Errorf("createdDate %v", body["createdDate"])
		}
	}
	want("PACKAGE_CREATE", "sandbox-sender", object{"documentId": nil, "message": nil})
	want("PACKAGE_ACTIVATE", "sandbox-sender", nil)
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	want("DOCUMENT_SIGNED", "ada", object{"documentId": "default-consent"})
	want("DOCUMENT_SIGNED", "ada", object{"documentId": "doc"})
	want("SIGNER_COMPLETE", "ada", nil)
	c.put(path, object{"status": "DECLINED", "messages": []object{{"content": "too dear"}}}).empty()
	want("PACKAGE_DECLINE", "sandbox-sender", object{"message": "too dear"})
	c.put(path, object{"trashed": true}).empty()
	want("PACKAGE_TRASH", "sandbox-sender", nil)
	c.put(path, object{"trashed": false}).empty()
	want("PACKAGE_RESTORE", "sandbox-sender", nil)
	c.delete(path).empty()
	want("PACKAGE_DELETE", "sandbox-sender", nil)
	id = strings.TrimPrefix(c.create(object{"name": "t", "type": "TEMPLATE"}), "/api/packages/")
	want("TEMPLATE_CREATE", "sandbox-sender", nil)
}

// A callback that is not accepted is never sent again: its body goes to the sender by e-mail.
func TestCallback_FailureMailedToSender(t *testing.T) {
	c := start(t)
	url, taken := receiver(t, 503)
	c.manage("PUT", "account", object{"callbackURL": url})
	path := c.create(object{"name": "Loan"})
	c.delete(path).empty()
	same(t, "taken", (<-taken)["name"], "PACKAGE_DELETE")
	seen := 0
	sent := c.outbox(&seen)
	if len(sent) != 1 || sent[0] != "email sandbox@sandbox.example Event notification failed: PACKAGE_CREATE" {
		t.Errorf("sent: %q", sent)
	}
}

func TestCallback_Registration(t *testing.T) {
	c := start(t)
	url, taken := receiver(t, 401)
	same(t, "at the start", c.get("/api/callback").text, `{"url":"","key":"","events":[]}`)
	in := object{"url": url, "key": "k", "events": []string{"PACKAGE_DELETE", "PACKAGE_EXPIRE"}}
	same(t, "set", c.post("/api/callback", in).ok()["key"], "k")
	same(t, "got", fmt.Sprint(c.get("/api/callback").ok()["events"]), "[PACKAGE_DELETE PACKAGE_EXPIRE]")
	c.post("/api/callback", object{"url": "ftp://a"}).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	refused, first := c.create(object{"name": "a"}), c.create(object{"name": "a"})
	c.delete(refused).empty() // is refused for good
	c.delete(first).empty()
	same(t, "taken", "/api/packages/"+(<-taken)["packageId"].(string), first)
	due := c.create(object{"name": "a", "status": "SENT", "due": "2090-01-01T00:00:00Z"})
	c.manage("POST", "clock", object{"advance": "700000h"})
	expired := <-taken
	same(t, "expired", "/api/packages/"+expired["packageId"].(string)+" "+expired["name"].(string), due+" PACKAGE_EXPIRE")

	other, alsoTaken := receiver(t)
	c.post("/api/callback/connectors/crm", object{"url": other, "key": "x", "events": []string{}}).ok()
	c.delete("/api/callback").empty()
	c.delete(due).empty()
	same(t, "the connector's", (<-alsoTaken)["name"], "PACKAGE_DELETE")
	same(t, "left to the account", len(taken), 0)
}

func TestAuditTrail_WithEvidence(t *testing.T) {
	c := start(t)
	path := c.sentPackage(object{"name": "Loan & <more>"})
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	c.as(path, "bob").post(path+"/documents/signed_documents", everything).empty()
	trail := c.get(path + "/audit").ok()
	same(t, "package", "/api/packages/"+trail["package-id"].(string), path)
	var types []string
	for _, e := range trail["audit-events"].([]any) {
		types = append(types, e.(object)["type"].(string))
	}
	same(t, "types", strings.Join(types, ", "), "Click To Sign, Click To Sign, Confirm, Click To Sign, Click To Sign, Confirm")
	signed := at(t, trail, "audit-events.1").(object)
	whole := object{"target-type": "Document", "target": "Contract", "user": "Ada Lovelace", "user-email": "ada@example.org", "user-ip": "127.0.0.1", "data": ""}
	for member, want := range whole {
		same(t, member, signed[member], want)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path+"/audit", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/xml")
	a := c.do(r)
	if a.header.Get("Content-Type") != "application/xml" || !strings.Contains(a.text, "<target>Loan &amp; &lt;more&gt;</target>") {
		t.Errorf("%s %s", a.header, a.text)
	}
	a = c.get(path + "/evidence/summary")
	for _, part := range []string{"%PDF-1.", "Loan & <more>", "Ada Lovelace <ada@example.org>", "Document Signed", "SHA-256", path[len("/api/packages/"):]} {
		if a.header.Get("Content-Type") != "application/pdf" || !strings.Contains(a.text, part) {
			t.Errorf("no %s in the evidence (%s)", part, a.header)
		}
	}
	for _, p := range []string{"/audit", "/evidence/summary"} {
		c.get("/api/packages/none"+p).refused(http.StatusNotFound, "error.notFound.packageNotFound")
	}
}

// What was found in attached files is set by hand, and told once it is known of all files of a
// signer.
func TestFileChecks_SetByHand(t *testing.T) {
	c := start(t)
	ada := signerRole("ada", "ada@example.org")
	ada["attachmentRequirements"] = []object{{"id": "passport", "name": "Passport"}, {"id": "bill", "name": "Bill"}}
	path := c.create(object{"name": "Loan", "roles": []object{ada}})
	url, taken := receiver(t)
	c.manage("PUT", "account", object{"callbackURL": url})
	for _, name := range []string{"passport", "bill"} {
		body, media := sdk{c}.form("", "scan")
		c.send("POST", path+"/attachment/"+name, media, body).empty()
	}
	check := func(i int) any {
		one := c.getList(path + "/attachment/verifications")[i].(object)
		return []any{one["attachmentId"], one["extractionStatus"], one["reasonCode"]}
	}
	same(t, "at first", check(0), []any{"passport", "NOT_PERFORMED", nil})
	id := strings.TrimPrefix(path, "/api/packages/")
	set := func(name, status string, reason any) {
		c.manage("POST", "attachment-verifications", object{"package": id, "attachment": name, "status": status, "reasonCode": reason})
	}
	set("passport", "COMPLETED", nil)
	set("bill", "FAILED", "UNREADABLE")
	same(t, "then", check(1), []any{"bill", "FAILED", "UNREADABLE"})
	for body := range taken {
		if body["name"] == "ATTACHMENT_VALIDATION_RESULT" {
			same(t, "told", []any{body["message"], body["packageId"], body["sessionUser"] != nil}, []any{"FAILED", id, true})
			break
		}
	}
	same(t, "a status that is none", c.call("POST", "/_manage/attachment-verifications", object{"package": id, "attachment": "bill", "status": "GOOD"}).status, http.StatusBadRequest)
}
