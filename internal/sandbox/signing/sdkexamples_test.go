package signing_test

import (
	"net/http"
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
func TestSDKCreatesPackages(t *testing.T) {
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
func TestSDKTemplates(t *testing.T) {
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
	p = clone("/api/packages/"+p["id"].(string), object{"name": "New", "type": "TEMPLATE"})
	same(t, "template of a package", []any{p["name"], p["type"], len(p["roles"].([]any)), documentOf(p, "First Document")["id"]}, []any{"New", "TEMPLATE", 3, "doc1"})
	same(t, "listed", at(t, s.get("/api/packages?type=template&from=1&to=10").ok(), "results.0.id"), p["id"])
}

// A package is updated while it is a draft, and goes through its statuses.
func TestSDKUpdatesPackages(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Old", "description": "old", "notarized": false, "visibility": "ACCOUNT", "language": "en", "roles": []object{sdkRole("signer1", email1, nil)}}, toSign("doc1", "First Document", "signer1"))
	same(t, "notarized", s.read(path)["notarized"], false)
	change := object{"name": "New", "description": "new", "emailMessage": "new", "notarized": true, "autocomplete": false, "visibility": "SENDER", "language": "fr", "due": "2099-02-01T00:00:00Z", "settings": object{"ceremony": object{"layout": object{"iframe": false, "brandingBar": object{"logo": object{"link": "l", "src": "s"}}}}}}
	s.put(path, change).empty()
	p := s.read(path)
	for member, want := range change {
		if member != "settings" {
			same(t, member, p[member], want)
		}
	}
	same(t, "layout", at(t, p, "settings.ceremony.layout.brandingBar.logo.link"), "l")
	same(t, "kept", []any{len(p["roles"].([]any)), len(p["documents"].([]any))}, []any{2, 2})

	status := func(want string) {
		t.Helper()
		same(t, "signing status", s.get(path + "/signingStatus?signer=&document=").ok()["status"], want)
	}
	status("DRAFT")
	s.status(path, "SENT")
	status("SIGNING_PENDING")
	s.put(path, object{"status": "DRAFT"}).empty()
	same(t, "taken back", s.read(path)["status"], "DRAFT")
	s.post(path, object{"trashed": true}).empty()
	same(t, "trashed", s.read(path)["trashed"], true)
	status("DELETED")
	s.post(path, object{"trashed": false}).empty()
	same(t, "restored", s.read(path)["trashed"], false)
	same(t, "ids", s.get("/api/packages?fields=id&query=DRAFT&from=1&to=10").ok()["results"], []any{object{"id": strings.TrimPrefix(path, "/api/packages/")}})
	s.delete(path).empty()
	s.get(path).refused(http.StatusNotFound, "error.notFound.packageNotFound")
}

// Conditions are replaced together with the field that they test, or by their ids.
func TestSDKConditions(t *testing.T) {
	s := sdk{start(t)}
	const asks, acts = "document['DocumentId'].field['fieldId2'].value == 'X'", "document['DocumentId'].field['fieldId1'].enabled = "
	condition := func(action string) []object {
		return []object{{"id": "ConditionId", "condition": asks, "action": acts + action}}
	}
	fields := []object{sdkField("signatureId", "SIGNATURE", "FULLNAME", nil), sdkField("fieldId1", "INPUT", "TEXTFIELD", nil), sdkField("fieldId2", "INPUT", "CHECKBOX", nil)}
	for _, first := range [][]object{condition("true"), nil} {
		body, media := s.form(object{"name": "Conditions", "roles": []object{sdkRole("role1", email1, nil)}, "conditions": first,
			"documents": []object{{"id": "DocumentId", "name": "Document", "approvals": []object{{"id": "signatureId", "role": "role1", "fields": fields}}}}}, "")
		path := "/api/packages/" + s.send("POST", "/api/packages", media, body).ok()["id"].(string)
		conditions := func() []any { list, _ := s.read(path)["conditions"].([]any); return list }
		same(t, "conditions at first", len(conditions()), len(first))
		field := sdkField("fieldId2", "INPUT", "CHECKBOX", object{"conditions": condition("false")})
		s.put(path+"/documents/DocumentId/approvals/signatureId/fields/fieldId2/conditionalFields", field).ok()
		same(t, "conditions", conditions(), []any{object{"id": "ConditionId", "condition": asks, "action": acts + "false"}})
		field["conditions"] = []any{}
		s.put(path+"/documents/DocumentId/approvals/signatureId/fields/fieldId2/conditionalFields", field).ok()
		same(t, "conditions in the end", len(conditions()), 0)
	}
}
