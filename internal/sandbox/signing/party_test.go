package signing_test

import (
	"net/http"
	"strings"
	"testing"
)

// The first of a role's two signers to sign has signed for both, in their own name.
func TestRole_TwoSigners(t *testing.T) {
	c := startWithKey(t, "k3y")
	both := signerRole("buyers", "ada@example.org")
	both["signers"] = append(both["signers"].([]object), object{"id": "bob", "email": "bob@example.org", "firstName": "Bob", "lastName": "Baker"})
	field := object{"id": "f", "type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}"}
	path := c.packaged(object{"name": "Loan", "status": "SENT", "roles": []object{both}, "documents": []object{
		{"id": "doc", "name": "Contract", "approvals": []object{{"id": "a", "role": "buyers", "fields": []object{field}}}}}}, blankPDF)
	link := func(id string) string { return c.get(path + "/roles/" + id + "/signingUrl").ok()["url"].(string) }
	same(t, "the role's link is its first signer's", link("buyers"), link("ada@example.org"))
	same(t, "each has a link", link("buyers") != link("bob"), true)
	messages := c.manage("GET", "outbox", nil).ok()["messages"].([]any)
	same(t, "invitations", []any{at(t, messages, "0.links.0"), at(t, messages, "1.links.0")}, []any{link("buyers"), link("bob")})

	ada := c.as(path, "ada@example.org")
	c.as(path, "bob").post(path+"/documents/signed_documents", everything).empty()
	p := c.get(path).ok()
	same(t, "signed", []any{p["status"], at(t, p, "documents.1.approvals.0.fields.0.value"), at(t, p, "documents.0.data.esl_doc_accepted_by_signers")}, []any{"COMPLETED", "Bob Baker", "bob"})
	same(t, "who", at(t, c.getList(path+"/fieldSummary"), "0.signerId"), "bob")
	if trail := c.get(path + "/audit").text; !strings.Contains(trail, `"Click To Sign"`) || strings.Contains(trail, "Ada Lovelace") && !strings.Contains(trail, "bob@example.org") {
		t.Errorf("the trail is %s", trail)
	}
	ada.post(path+"/documents/signed_documents", everything).refused(http.StatusBadRequest, "error.validation.package.invalidState")
}

// A signer removed from a role, or an id that is also a role's, gives no access to
// another signer's package.
func TestSigner_ReplacedHasNoAccess(t *testing.T) {
	c := startWithKey(t, "k3y")
	first, second := signerRole("bob", "ada@example.org"), signerRole("buyer", "bob@example.org")
	first["signers"].([]object)[0]["id"], second["signers"].([]object)[0]["id"] = "ada", "bob"
	path := c.packaged(object{"name": "Loan", "status": "SENT", "roles": []object{first, second}, "documents": []object{
		{"id": "doc", "name": "Contract", "approvals": []object{{"role": "bob"}, {"role": "buyer"}}}}}, blankPDF)
	bob := c.as(path, "bob")
	bob.post(path+"/documents/signed_documents", everything).empty()
	p := c.get(path).ok()
	same(t, "signed", []any{at(t, p, "documents.1.approvals.0.signed"), at(t, p, "documents.1.approvals.1.signed") != nil}, []any{nil, true})

	ada := c.as(path, "ada")
	c.put(path+"/roles/bob", object{"signers": []object{{"id": "eve", "email": "eve@example.org", "firstName": "Eve", "lastName": "Else"}}}).ok()
	same(t, "the role's signer", at(t, c.get(path+"/roles/bob").ok(), "signers.0.id"), "eve")
	same(t, "who has left reads", ada.get(path+"/documents/doc/pdf").status, http.StatusUnauthorized)
	same(t, "who has left signs", ada.post(path+"/documents/signed_documents", everything).status, http.StatusUnauthorized)
	page := signingPage(path)
	same(t, "what they see", []any{ada.get(page).status, c.as(path, "eve").get(page).status}, []any{http.StatusForbidden, http.StatusOK})
}

// Optional approvals may be left out, and disabled ones cannot be signed.
func TestApprovals_OptionalAndDisabled(t *testing.T) {
	c := startWithKey(t, "k3y")
	text := func(id string) []object {
		return []object{{"id": id, "name": id, "type": "INPUT", "subtype": "TEXTFIELD", "validation": object{"required": true}}}
	}
	create := func(approvals ...object) string {
		return c.packaged(object{"name": "Loan", "status": "SENT", "roles": []object{signerRole("ada", "ada@example.org")}, "documents": []object{
			{"id": "doc", "name": "Contract", "approvals": approvals}}}, blankPDF)
	}
	path := create(object{"id": "must", "role": "ada", "fields": text("a")}, object{"id": "may", "role": "ada", "optional": true, "fields": text("b")}, object{"id": "off", "role": "ada", "disabled": true, "fields": text("c")})
	page := signingPage(path)
	ada := c.as(path, "ada")
	same(t, "accepted", ada.press(page, "action=accept").status, http.StatusSeeOther)
	shown := ada.get(page).text
	same(t, "shown", []any{strings.Contains(shown, `name="value.a"`), strings.Contains(shown, `name="value.b"`), strings.Contains(shown, `name="value.c"`)}, []any{true, true, false})
	same(t, "only what must be there is missed", strings.Count(ada.press(page, "action=sign&document=doc&value.a=&value.b=").text, `role="alert"`), 1)
	same(t, "signed", ada.press(page, "action=sign&document=doc&value.a=x&value.b=").status, http.StatusSeeOther)
	p := c.get(path).ok()
	same(t, "signed", []any{p["status"], at(t, p, "documents.1.approvals.0.signed") != nil, at(t, p, "documents.1.approvals.1.signed"), at(t, p, "documents.1.approvals.2.signed")}, []any{"COMPLETED", true, nil, nil})

	path = create(object{"id": "may", "role": "ada", "optional": true})
	same(t, "nothing is signed yet", c.get(path + "/signingStatus").ok()["status"], "SIGNING_PENDING")
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	same(t, "all that there was", c.get(path).ok()["status"], "COMPLETED")
}
