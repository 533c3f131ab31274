package idv_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/sandbox/idv"
)

func TestTransaction_Created(t *testing.T) {
	c := start(t)
	made := c.put("/api/transaction/", payload(object{
		"opaque_id": "o/1", "configuration": object{"redirects": []object{{"id": "REDIRECT_DEFAULT_URL", "url": "https://example.org/{{transactionId}}"}}, "consent": object{"x": 1}},
		"documents": []object{{"id": "terms", "title": "Terms", "content": base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"))}}, "more": "kept",
	})).ok()
	path := "/api/transaction/" + made["id"].(string)
	same(t, "again", c.get(path).text, c.get(strings.Replace(path, "transaction", "transactions", 1)).text)
	got := c.get(path + "?withVerifications=true").ok()
	for name, want := range map[string]any{
		"status": "new", "tenant_id": "sandbox", "workflow_id": idv.Workflows()[0], "brand_id": idv.Brands()[1], "urlSetKey": "default",
		"language": "en", "opaque_id": "o/1", "configuration.consent.x": 1, "users.0.emails.0": "alice@sandbox.example", "more": "kept",
		"documents.0.title": "Terms", "documents.0.content": nil, "tokens.0.role": "customer", "tokens.0.version": 0, "completed": nil,
		"events.0.trigger": "transaction_created", "events.0.type": "notification", "expiry_period": 90, "version": 0, "last_session_event": nil,
	} {
		same(t, name, at(t, got, name), want)
	}
	same(t, "accessUrl", at(t, got, "tokens.0.accessUrl"), c.url+"/esign/"+made["id"].(string)+"?access_token="+at(t, got, "tokens.0.token").(string))
	same(t, "verification", at(t, c.get(path+"/verification").ok(), "verificationResults"), "[]")
	c.get(path+"?withVerifications=yes").refused(http.StatusBadRequest, "withVerifications")
	c.get("/api/transaction/3f333df6-90a4-4fda-8dd3-9485d27cee36").refused(http.StatusNotFound)
}

func TestCredential_TokenAndTenant(t *testing.T) {
	c := start(t)
	path, _ := c.create(nil)
	for _, one := range []struct {
		token, tenant, credential string
		status                    int
	}{
		{idv.Token, idv.Tenant, "ok", 200}, {"", idv.Tenant, "none", 401}, {"wrong", idv.Tenant, "wrong", 401}, {"", "", "none", 401},
		{idv.Token, "", "wrong", 403}, {idv.Token, "other", "wrong", 403},
	} {
		c.token, c.tenant = one.token, one.tenant
		same(t, "status for "+one.token+" "+one.tenant, c.get(path).status, one.status)
		entries := c.manage("GET", "journal", nil).ok()["entries"].([]any)
		last := entries[len(entries)-1].(object)
		same(t, "credential", last["credential"], one.credential)
		same(t, "operation", last["operation"], "getTransaction")
	}
}

func TestPayload_Refused(t *testing.T) {
	c := start(t)
	person := func(member string, value any) object {
		return object{"users": []object{{"first_name": "A", "last_name": "B", member: value}}}
	}
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.7"))
	for _, one := range []struct {
		field  string
		change object
	}{
		{"tenant_id", object{"tenant_id": "other"}},
		{"workflow_id", object{"workflow_id": "3f333df6-90a4-4fda-8dd3-9485d27cee36"}},
		{"brand_id", object{"brand_id": nil}},
		{"users", object{"users": []object{}}},
		{"users.0", object{"users": []any{"Alice"}}},
		{"users.0.last_name", object{"users": []object{{"first_name": "A"}}}},
		{"users.0.dob", person("dob", "1990-01-31")},
		{"users.0.dob", person("dob", "1990-01-31T01:00:00.000Z")},
		{"users.0.dob", person("dob", "2990-01-31T00:00:00.000Z")},
		{"users.0.phone_number", person("phone_number", "0664")},
		{"users.0.company", person("company", "")},
		{"users.0.emails", person("emails", []string{"alice"})},
		{"users.0.address.country_code", person("address", object{"country_code": "UK"})},
		{"tokens", object{"tokens": nil}},
		{"tokens.0.role", object{"tokens": []object{{"role": ""}}}},
		{"tokens.1.role", object{"tokens": []object{{"role": "a"}, {"role": "a"}}}},
		{"configuration", object{"configuration": "x"}},
		{"configuration.redirects.0.id", object{"configuration": object{"redirects": []object{{"id": "HOME", "url": "https://x"}}}}},
		{"configuration.redirects.0.url", object{"configuration": object{"redirects": []object{{"id": "REDIRECT_ERROR", "url": "javascript:x"}}}}},
		{"documents.0.id", object{"documents": []object{{"content": pdf}}}},
		{"documents.0.content", object{"documents": []object{{"id": "a", "content": "eA=="}}}},
		{"", object{"documents": []object{{"id": "a", "content": "%"}}}},
	} {
		c.put("/api/transaction", payload(one.change)).refused(http.StatusBadRequest, one.field)
	}
	for _, member := range []string{
		"disable_recording", "disable_notifications", "expiry_period", "verifications", "status", "events", "id", "created_by", "urlSetKey",
		"created", "completed", "request_ids", "last_session_event", "last_api_request", "expiry_timestamp", "version",
	} {
		c.put("/api/transaction", payload(object{member: object{}})).refused(http.StatusBadRequest, "")
	}
	c.put("/api/transaction", payload(object{"expiry_period": 0})).refused(http.StatusBadRequest, "expiry_period")
	c.put("/api/transaction", "{").refused(http.StatusBadRequest, "")
	c.send("POST", "/api/transactions", "text/plain", strings.NewReader("{}")).refused(http.StatusUnsupportedMediaType)
	c.post("/api/transactions/", payload(object{"documents": []object{{"id": "a", "document_template_id": "t"}}})).ok()
}

// A member that is null is one that is missing: clients write all that they know.
func TestTransaction_NullMembers(t *testing.T) {
	c := start(t)
	nulls := object{}
	for _, member := range []string{"tenant_id", "urlSetKey", "language", "opaque_id", "configuration", "documents", "disable_notifications", "disable_recording", "expiry_period"} {
		nulls[member] = nil
	}
	path, _ := c.create(nulls)
	got := c.get(path).ok()
	for name, want := range map[string]any{"tenant_id": "sandbox", "urlSetKey": "default", "language": "english", "expiry_period": 90, "disable_recording": false, "configuration": nil, "documents": "[]"} {
		same(t, name, at(t, got, name), want)
	}
	c.put("/api/transaction", payload(object{"tenant_id": ""})).refused(http.StatusBadRequest, "tenant_id")
}

// Members that a client may set keep its values; the platform decides the others.
func TestTransaction_MembersOfPlatform(t *testing.T) {
	c := start(t)
	path, _ := c.create(object{
		"disable_recording": true, "disable_notifications": true, "expiry_period": 2, "urlSetKey": "other",
		"id": "mine", "status": "completed", "events": []object{{"trigger": "x"}}, "verifications": []object{{"status": "SUCCESS"}}, "created_by": "me",
		"created": "2001-01-01T00:00:00.000Z", "completed": nil, "version": 7, "request_ids": []string{"x"}, "last_session_event": "x",
	})
	got := c.get(path + "?withVerifications=true").ok()
	for name, want := range map[string]any{
		"disable_recording": true, "disable_notifications": true, "expiry_period": 2, "urlSetKey": "other",
		"status": "new", "events.0.trigger": "transaction_created", "verifications": "[]", "created_by": nil, "version": 0, "last_session_event": nil, "request_ids": "[]",
	} {
		same(t, name, at(t, got, name), want)
	}
	c.advance("48h")
	same(t, "status", c.get(path).ok()["status"], "expired")
}
