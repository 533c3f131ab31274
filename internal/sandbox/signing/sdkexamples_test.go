package signing_test

import (
	"strings"
	"testing"
	"time"
)

const (
	email1, email2, email3 = "john.smith@example.org", "CapitalLetters@example.org", "patty.galant@example.org"
	sender                 = "sandbox@sandbox.example"
)

// The SDK's examples of creating a package: description, due date, data, settings,
// values of check boxes and radio buttons, language, message and reassignment.
func TestSDK_CreatesPackages(t *testing.T) {
	s := sdk{start(t)}
	due := time.Now().AddDate(0, 1, 0).UTC().Format("2006-01-02T15:04:05Z")
	radio := object{"validation": sdkValidation(object{"enum": []string{"group1"}}), "value": "X"}
	reasons := []string{"one", "two"}
	ceremony := object{"inPerson": true, "optOutButton": true, "declineReasons": reasons, "handOver": object{"href": "http://www.old.ca", "text": "exit", "title": nil}, "events": object{"complete": object{"dialog": true, "redirect": nil}}, "layout": nil}
	path := s.createPackage(object{"name": "Policy", "description": "A package", "emailMessage": "to all", "due": due, "autocomplete": true, "language": "zh-CN", "data": object{"sdk": "Java v11.68", "Key 1": "Attribute 1"}, "settings": object{"ceremony": ceremony},
		"roles": []object{sdkRole("Client1", email1, object{"reassign": true, "emailMessage": object{"content": "to you"}}), sdkRole("role2", email2, nil)}},
		object{"name": "First Document", "index": 0, "data": object{"a": "b"}, "approvals": []object{{"role": "Client1", "fields": []object{sdkField("", "SIGNATURE", "CAPTURE", nil), sdkField("tick", "INPUT", "CHECKBOX", object{"value": "X"}), sdkField("none", "INPUT", "CHECKBOX", nil)}}}},
		object{"name": "Second Document", "index": 0, "approvals": []object{{"role": "role2", "fields": []object{sdkField("", "SIGNATURE", "INITIALS", nil), sdkField("r1", "INPUT", "RADIO", radio)}}}})
	s.status(path, "SENT")
	p := s.read(path)
	for member, want := range map[string]any{"description": "A package", "emailMessage": "to all", "due": due, "language": "zh-CN", "data.sdk": "Java v11.68", "data.Key 1": "Attribute 1", "status": "SENT",
		"settings.ceremony.inPerson": true, "settings.ceremony.declineReasons": []any{"one", "two"}, "settings.ceremony.handOver.href": "http://www.old.ca", "settings.ceremony.events.complete.dialog": true} {
		same(t, member, at(t, p, member), want)
	}
	role, signer := signerOf(t, p, email1)
	same(t, "signer", []any{signer["id"], signer["title"], signer["company"], signer["signerType"], role["reassign"], at(t, role, "emailMessage.content")}, []any{"Client1", "Managing Director", "Acme Inc.", "EXTERNAL_SIGNER", true, "to you"})
	_, signer = signerOf(t, p, strings.ToLower(email2))
	same(t, "the other", signer["id"], "role2")
	first, second := documentOf(p, "First Document"), documentOf(p, "Second Document")
	same(t, "data of a document", at(t, first, "data.a"), "b")
	same(t, "values", []any{at(t, first, "approvals.0.fields.1.value"), at(t, first, "approvals.0.fields.2.value"), at(t, second, "approvals.0.fields.1.value"), at(t, second, "approvals.0.fields.1.validation.enum.0")}, []any{"X", nil, "X", "group1"})
	same(t, "a session", s.post("/api/sessions?package="+strings.TrimPrefix(path, "/api/packages/")+"&signer=Client1", nil).ok()["sessionToken"] != nil, true)
	same(t, "documents", len(p["documents"].([]any)), 3)
}

// Templates are made from packages, and packages from templates, with an additional
// signer, or with one instead of a placeholder. The owner comes first.
func TestSDK_Templates(t *testing.T) {
	s := sdk{start(t)}
	template := s.createPackage(object{"name": "Template", "type": "TEMPLATE", "description": "first", "roles": []object{
		sdkRole("Signer1", email1, nil), {"id": "PlaceholderId1", "name": "placeholderName", "index": 0, "reassign": false, "signers": []any{}}}},
		toSign("doc1", "First Document", "Signer1", "PlaceholderId1"))
	s.put(template+"/roles/PlaceholderId1", object{"id": "PlaceholderId1", "name": "updated", "index": 0, "reassign": false, "locked": false}).ok()
	same(t, "placeholder", s.get(template + "/roles/PlaceholderId1").ok()["name"], "updated")

	settings := object{"ceremony": object{"declineButton": false, "hideWatermark": false}}
	clone := func(of string, payload object) object {
		return s.read("/api/packages/" + s.post(of+"/clone", payload).ok()["id"].(string))
	}
	p := clone(template, object{"name": "Policy", "description": "second", "autocomplete": true, "settings": settings, "roles": []object{sdkRole("PlaceholderId1", email3, nil)}})
	same(t, "roles", len(p["roles"].([]any)), 3)
	for i, want := range []string{sender, email1, email3} {
		same(t, "signer", at(t, p, "roles."+string(rune('0'+i))+".signers.0.email"), want)
	}
	same(t, "replaced", []any{at(t, p, "roles.2.id"), at(t, p, "roles.2.signers.0.id"), documentOf(p, "First Document")["approvals"].([]any)[1].(object)["role"]}, []any{"PlaceholderId1", "PlaceholderId1", "PlaceholderId1"})
	same(t, "changed", []any{p["description"], at(t, p, "settings.ceremony.declineButton"), p["type"], p["status"]}, []any{"second", false, "PACKAGE", "DRAFT"})

	plain := s.createPackage(object{"name": "Template", "type": "TEMPLATE", "roles": []object{sdkRole("Signer1", email1, nil)}}, toSign("doc1", "First Document"))
	p = clone(plain, object{"name": "Policy", "roles": []object{sdkRole("Signer2", email3, nil)}})
	same(t, "roles", len(p["roles"].([]any)), 3)
	same(t, "roles of a clone without any", len(clone(plain, object{"name": "Policy", "roles": []any{}})["roles"].([]any)), 2)
	same(t, "name of a clone without one", clone(plain, object{})["name"], "Template")
	p = clone("/api/packages/"+p["id"].(string), object{"name": "New", "type": "TEMPLATE", "status": "SENT"})
	same(t, "template of a package", []any{p["name"], p["type"], p["status"], len(p["roles"].([]any)), documentOf(p, "First Document")["id"]}, []any{"New", "TEMPLATE", "DRAFT", 3, "doc1"})
	same(t, "listed", at(t, s.get("/api/packages?type=template&from=1&to=10").ok(), "results.0.id"), p["id"])
}

// Data about a package outside its JSON: alerts, and the contact.
func TestSDK_AlertsAndContact(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Extras", "roles": []object{sdkRole("role1", email1, nil)}})
	same(t, "alerts", []any{s.get(path + "?extensions=alerts").ok()["alerts"], s.get(path).ok()["alerts"]}, []any{[]any{}, nil})
	support := s.get("/api/package_information/" + strings.TrimPrefix(path, "/api/packages/") + "/support_information").ok()
	same(t, "support", support["email"] != "" && support["phone"] != "", true)
}
