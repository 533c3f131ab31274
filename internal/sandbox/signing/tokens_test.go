package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTokens_OlderKinds(t *testing.T) {
	c := startWithKey(t, "k3y")
	ref := object{"packageId": strings.TrimPrefix(c.sentPackage(nil), "/api/packages/")}
	nobody := c
	nobody.key = ""
	legacy := c.post("/api/sessions?package="+url.QueryEscape(ref["packageId"].(string))+"&signer=ada", nil).ok()["sessionToken"].(string)
	a := nobody.get("/access?sessionToken=" + url.QueryEscape(legacy))
	same(t, "leads to", a.header.Get("Location"), c.url+"/transaction/"+url.PathEscape(ref["packageId"].(string))+"/sign")
	same(t, "the older token", c.post("/api/signerAuthenticationTokens", object{"packageId": ref["packageId"], "signerId": "ada"}).ok()["value"] != nil, true)
	same(t, "no such signer", c.post("/api/sessions?package="+url.QueryEscape(ref["packageId"].(string))+"&signer=eve", nil).status, http.StatusNotFound)
	same(t, "of nobody", c.post("/api/sessions", nil).status, http.StatusNotFound)
}

func TestCustomFields_OfUser(t *testing.T) {
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

func TestConditions_OfPackage(t *testing.T) {
	c := start(t)
	const tick, text = "document['doc'].field['tick']", "document['doc'].field['text']"
	path := c.packaged(object{"name": "a", "roles": []object{signerRole("ada", "ada@example.org")},
		"conditions": []object{{"condition": tick + ".value == 'X'", "action": text + ".disabled = false"}},
		"documents": []object{{"id": "doc", "approvals": []object{{"id": "a", "role": "ada", "fields": []object{
			{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX"}, {"id": "text", "type": "INPUT", "subtype": "TEXTFIELD"}, {"id": "free", "type": "INPUT", "subtype": "TEXTFIELD"}}}}}},
	}, blankPDF)
	same(t, "an id", at(t, c.get(path).ok(), "conditions.0.id") != "", true)
	changed := c.put(path+"/documents/doc/approvals/a/fields/text/conditionalFields", object{"id": "text", "name": "n", "conditions": []object{{"id": "new", "action": text + ".disabled = true"}}}).ok()
	same(t, "field", changed["name"], "n")
	same(t, "conditions", at(t, c.get(path).ok(), "conditions.0.id"), "new")
	same(t, "approvals of a signer", len(c.getList(path+"/signers/ada/approvals")), 1)
	same(t, "in a document", len(c.getList(path+"/documents/default-consent/signers/ada/approvals")), 0)
}
