package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// asked creates a package with one signature, sent to Ada, who has to attach a passport
// and may attach a bill.
func (c client) asked() (path, page string) {
	c.t.Helper()
	payload := withFields("SENT", false, object{"id": "sign", "type": "SIGNATURE", "subtype": "FULLNAME", "left": 10, "top": 10})
	payload["roles"].([]object)[0]["attachmentRequirements"] = []object{
		{"id": "passport", "name": "Passport", "description": "A <scan> of it.", "required": true, "status": "COMPLETE"}, {"name": "A bill"},
	}
	path = c.packaged(payload, contract())
	return path, signingPage(path)
}

// choose sends the form of the signing page with a file for a requirement.
func (c client) choose(page, requirement, content string, more object) answer {
	c.t.Helper()
	return c.uploadForm(page, more, "file."+requirement, "scan.png", content)
}

// A package waits for the files that its signers have to attach, even after they have
// signed.
func TestPackage_WaitsForFiles(t *testing.T) {
	c := start(t)
	path, page := c.asked()
	ada := c.as(path, "ada")
	status := func(want ...string) {
		t.Helper()
		same(t, "status", []string{c.get(path).ok()["status"].(string), c.get(path + "/signingStatus?signer=ada").ok()["status"].(string)}, want)
	}
	everything := object{"documents": []object{{"id": "doc"}, {"id": "default-consent"}}}
	ada.post(path+"/documents/signed_documents", everything).empty()
	status("SENT", "SIGNING_PENDING")
	c.put(path, object{"status": "COMPLETED"}).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	text := ada.get(page).text
	for _, part := range []string{`enctype="multipart/form-data"`, `<label for="f1">Passport <span class="required"`, `<input type="file" id="f1" name="file.passport" multiple required aria-describedby="h1">`, `A &lt;scan&gt; of it.`, `<label for="f2">A bill</label>`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	wrong := ada.press(page, "action=attach")
	same(t, "without a file", []any{wrong.status, strings.Contains(wrong.text, `<p role="alert" id="ef1">Choose a file.</p>`)}, []any{http.StatusUnprocessableEntity, true})
	same(t, "an empty one", ada.uploadForm(page, object{"action": "attach"}, "file.passport", "", "").status, http.StatusUnprocessableEntity)
	ada.choose(page, "nothing", "x", object{"action": "attach"}).refused(http.StatusNotFound, "error.notFound.attachmentNotFound")
	status("SENT", "SIGNING_PENDING")
	same(t, "attached", ada.choose(page, "passport", "scanned", object{"action": "attach"}).status, http.StatusSeeOther)
	status("COMPLETED", "COMPLETED")
	same(t, "the file", c.get(path+"/attachment/passport").text, "scanned")
	same(t, "the end", strings.Contains(ada.get(page).text, "You have signed"), true)
	same(t, "too late", ada.choose(page, "passport", "again", object{"action": "attach"}).status, http.StatusBadRequest)
}

// Files may be attached with the form that signs, and removed before.
func TestSigningPage_AttachedFiles(t *testing.T) {
	c := start(t)
	path, page := c.asked()
	ada := c.as(path, "ada")
	ada.press(page, "action=accept")
	ada.choose(page, "passport", "wrong", object{"action": "attach", "document": "doc", "value.sign": "A. Lovelace"})
	text := ada.get(page + "?document=doc").text
	same(t, "what was typed is kept", strings.Contains(text, `value="A. Lovelace"`), true)
	same(t, "can be taken back", strings.Contains(text, `<button name="detach" value="passport/1">Remove scan.png</button>`), true)
	same(t, "taken back", ada.press(page, url.Values{"detach": {"passport/1"}, "document": {"doc"}, "value.sign": {"Ada"}}.Encode()).status, http.StatusSeeOther)
	same(t, "nothing is there", c.get(path+"/attachment/passport").status, http.StatusNotFound)
	ada.choose(page, "passport", "right", object{"action": "sign", "document": "doc", "value.sign": "Ada"})
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
	same(t, "the file", c.get(path+"/attachment/Passport").text, "right")
}

// The sender may reject an attached file, and the package waits again.
func TestAttachedFile_RejectedBySender(t *testing.T) {
	c := start(t)
	path, page := c.asked()
	ada := c.as(path, "ada")
	ada.choose(page, "passport", "blurred", object{"action": "attach"})
	c.put(path+"/roles/ada", object{"attachmentRequirements": []object{{"id": "passport", "name": "Passport", "required": true, "status": "REJECTED", "comment": "Unreadable."}}}).ok()
	ada.post(path+"/documents/signed_documents", everything).empty()
	same(t, "status", c.get(path).ok()["status"], "SENT")
	same(t, "the comment", strings.Contains(ada.get(page).text, "Unreadable."), true)
	ada.choose(page, "passport", "clear", object{"action": "attach"})
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
}

// Signers who come later in the order wait for the files too.
func TestRequestedFiles_InSigningOrder(t *testing.T) {
	c := start(t)
	first, second := signerRole("first", "ada@example.org"), signerRole("second", "bob@example.org")
	first["index"], second["index"] = 1, 2
	first["attachmentRequirements"] = []object{{"id": "passport", "name": "Passport", "required": true}}
	second["attachmentRequirements"] = []object{{"id": "passport2", "name": "Passport"}}
	path := c.create(object{"name": "a", "roles": []object{first, second}, "documents": []object{{"id": "doc", "name": "d", "base64Content": "JVBERi0=", "approvals": []object{
		{"role": "second", "fields": []object{{"type": "SIGNATURE", "subtype": "FULLNAME"}}}}}}})
	c.put(path, object{"status": "SENT"}).empty()
	seen := 0
	same(t, "invited", c.outbox(&seen), []string{"email ada@example.org Please sign: a"})
	c.as(path, "second").post(path+"/documents/signed_documents", object{"documents": []object{{"id": "doc"}}}).refused(http.StatusForbidden, "error.forbidden.signer.notYourTurn")
	body, media := sdk{c}.form("", "scan")
	c.send("POST", path+"/attachment/passport2", media, body).empty()
	same(t, "each role's own", at(t, c.get(path+"/roles/first").ok(), "attachmentRequirements.0.status"), "INCOMPLETE")
	body, media = sdk{c}.form("", "scan")
	c.send("POST", path+"/attachment/passport", media, body).empty()
	same(t, "invited then", c.outbox(&seen), []string{"email bob@example.org Please sign: a"})
	c.as(path, "second").post(path+"/documents/signed_documents", object{"documents": []object{{"id": "doc"}}}).empty()
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
}
