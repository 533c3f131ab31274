package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTokensOfSenders(t *testing.T) {
	c := startWithKey(t, "k3y")
	path, other := c.sentPackage(nil), c.sentPackage(nil)
	ref := object{"packageId": strings.TrimPrefix(path, "/api/packages/")}
	nobody := c
	nobody.key = ""
	session := func(parameter, token string) client {
		t.Helper()
		opened := nobody
		opened.session, _ = opened.get("/auth?" + parameter + "=" + url.QueryEscape(token)).ok()["sessionToken"].(string)
		return opened
	}
	for _, create := range []string{"/api/authenticationTokens/sender", "/api/senderAuthenticationTokens"} {
		token := c.post(create, ref).ok()["value"].(string)
		nobody.get("/auth?signerAuthenticationToken="+token).refused(http.StatusUnauthorized, "error.unauthorized.invalidCredentials")
		sender := session("senderAuthenticationToken", token)
		same(t, "its file", sender.get(path+"/documents/doc/pdf").status, http.StatusOK)
		same(t, "another's", sender.get(other+"/documents/doc/pdf").status, http.StatusUnauthorized)
		page := sender.get("/a/transaction/" + ref["packageId"].(string))
		if page.status != http.StatusOK || !strings.Contains(page.text, "<h1>Loan</h1>") {
			t.Errorf("%d %s", page.status, page.text)
		}
		same(t, "once", nobody.get("/auth?senderAuthenticationToken="+token).status, http.StatusUnauthorized)
	}
	for _, create := range []string{"/api/authenticationTokens/user", "/api/authenticationTokens"} {
		user := session("authenticationToken", c.post(create, nil).ok()["value"].(string))
		for _, p := range []string{path, other} {
			same(t, "every file", user.get(p+"/documents/doc/pdf").status, http.StatusOK)
		}
	}
	same(t, "unknown package", c.post("/api/authenticationTokens/sender", object{"packageId": "none"}).status, http.StatusNotFound)
	legacy := c.post("/api/sessions?package="+url.QueryEscape(ref["packageId"].(string))+"&signer=ada", nil).ok()["sessionToken"].(string)
	a := nobody.get("/access?sessionToken=" + url.QueryEscape(legacy))
	same(t, "leads to", a.header.Get("Location"), c.url+"/transaction/"+url.PathEscape(ref["packageId"].(string))+"/sign")
	same(t, "the older token", c.post("/api/signerAuthenticationTokens", object{"packageId": ref["packageId"], "signerId": "ada"}).ok()["value"] != nil, true)
	same(t, "no such signer", c.post("/api/sessions?package="+url.QueryEscape(ref["packageId"].(string))+"&signer=eve", nil).status, http.StatusNotFound)
}

func TestCustomFieldsOfTheUser(t *testing.T) {
	c := start(t)
	const fields = "/api/user/customfields"
	c.get(fields + "/policy").empty()
	same(t, "list", c.get(fields).text, "[]")
	c.post(fields, object{"id": "policy", "value": "1"}).ok()
	c.put(fields, object{"id": "policy", "value": "2"}).ok()
	same(t, "value", c.get(fields + "/policy").ok()["value"], "2")
	c.post(fields, object{"value": "2"}).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	same(t, "the account's", c.get("/api/account/customfields").text, "[]")
	c.delete(fields + "/policy").empty()
	c.get(fields + "/policy").empty()
	c.manage("PUT", "account", object{"customFields": false})
	c.get(fields).refused(http.StatusForbidden, "error.forbidden.customFields.notEnabled")
}

func TestConditions(t *testing.T) {
	c := start(t)
	const tick, text = "document['doc'].field['tick']", "document['doc'].field['text']"
	path := "/api/packages/" + c.upload("POST", "/api/packages", object{"name": "a", "roles": []object{signerRole("ada", "ada@example.org")},
		"conditions": []object{{"condition": tick + ".value == 'X'", "action": text + ".disabled = false"}},
		"documents": []object{{"id": "doc", "approvals": []object{{"id": "a", "role": "ada", "fields": []object{
			{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX"}, {"id": "text", "type": "INPUT", "subtype": "TEXTFIELD"}, {"id": "free", "type": "INPUT", "subtype": "TEXTFIELD"}}}}}},
	}, "payload file", blankPDF).ok()["id"].(string)
	id := at(t, c.get(path).ok(), "conditions.0.id")
	found := c.get(path + "/referencedConditions").ok()
	same(t, "tick", at(t, found, "documents.0.fields.0.conditions.referencedInCondition.0.id"), id)
	same(t, "text", at(t, found, "documents.0.fields.1.conditions.referencedInAction.0.id"), id)
	same(t, "fields", len(at(t, found, "documents.0.fields").([]any)), 2)
	one := c.get(path + "/referencedConditions?documentId=doc&fieldId=text").ok()
	same(t, "one field", at(t, one, "documents.0.fields.0.fieldId"), "text")
	same(t, "no document", len(c.get(path + "/referencedConditions?documentId=x").ok()["documents"].([]any)), 0)
	changed := c.put(path+"/documents/doc/approvals/a/fields/text/conditionalFields", object{"id": "text", "name": "n", "conditions": []object{{"id": "new", "action": text + ".disabled = true"}}}).ok()
	same(t, "field", changed["name"], "n")
	same(t, "conditions", at(t, c.get(path).ok(), "conditions.0.id"), "new")
	same(t, "approvals of a signer", len(c.getList(path+"/signers/ada/approvals")), 1)
	same(t, "in a document", len(c.getList(path+"/documents/default-consent/signers/ada/approvals")), 0)
}
