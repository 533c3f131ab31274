package signing_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Documents are downloaded before anybody signs: the shown file differs from the uploaded
// one, and an archive has all of them.
func TestSDKDownloads(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Downloads", "roles": []object{sdkRole("role1", email1, nil)}}, toSign("myDocumentId", "First Document", "role1"))
	s.status(path, "SENT")
	shown, original := s.get(path+"/documents/myDocumentId/pdf"), s.get(path+"/documents/myDocumentId/original")
	same(t, "original", original.text, blankPDF)
	same(t, "shown", shown.text != original.text && strings.HasPrefix(shown.text, blankPDF), true)
	same(t, "archive", len(s.archive(path+"/documents/zip")), 2)
	same(t, "evidence", strings.HasPrefix(s.get(path+"/evidence/summary").text, "%PDF-"), true)
	same(t, "trail", s.get(path + "/audit").ok()["audit-events"], []any{})
}

// archive returns the names of the files in an answered zip.
func (s sdk) archive(path string) (names []string) {
	s.t.Helper()
	a := s.get(path)
	archive, err := zip.NewReader(bytes.NewReader([]byte(a.text)), int64(len(a.text)))
	if err != nil {
		s.t.Fatalf("%s: %d %v", path, a.status, err)
	}
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	return names
}

// Documents get other metadata and another order, keep their approvals, and are deleted.
func TestSDKChangesDocuments(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Documents", "roles": []object{sdkRole("role1", email1, nil)}})
	for i, name := range []string{"Second", "First"} {
		document := toSign("", name, "role1")
		document["index"], document["description"] = 2-i, "old"
		body, media := s.form(document, "")
		s.send("POST", path+"/documents", media, body).ok()
	}
	p := s.read(path)
	first, second := documentOf(p, "First"), documentOf(p, "Second")
	same(t, "order", []any{first["index"], second["index"], at(t, p, "documents.1.name")}, []any{1, 2, "First"})
	s.put(path+"/documents", []object{{"id": first["id"], "name": "First", "index": 2}, {"id": second["id"], "name": "Second", "index": 1}}).ok()
	same(t, "reordered", at(t, s.read(path), "documents.1.name"), "Second")
	s.put(path+"/documents/"+first["id"].(string), object{"id": first["id"], "name": "Updated", "description": "new", "index": 2}).ok()
	updated := documentOf(s.read(path), "Updated")
	same(t, "metadata", []any{updated["description"], len(updated["approvals"].([]any))}, []any{"new", 1})
	s.call("DELETE", path+"/documents", []any{first["id"], second["id"]}).empty()
	same(t, "left", len(s.read(path)["documents"].([]any)), 1)
}

// Signatures and fields are added, changed, replaced and deleted one by one.
func TestSDKChangesSignatures(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Signatures", "roles": []object{sdkRole("signer1", email1, nil), sdkRole("signer2", email3, nil)}}, toSign("documentId", "Document"))
	approvals := path + "/documents/documentId/approvals"
	approval := func(id, role string, fields ...object) object {
		fields = append([]object{sdkField(id, "SIGNATURE", "FULLNAME", nil)}, fields...)
		return object{"id": id, "role": role, "optional": false, "disabled": false, "enforceCaptureSignature": false, "fields": fields}
	}
	roles := func() (found []any) {
		for _, a := range documentOf(s.read(path), "Document")["approvals"].([]any) {
			found = append(found, a.(object)["role"])
		}
		return found
	}
	for id, role := range map[string]string{"s1": "signer1", "s2": "signer2"} {
		same(t, "added", s.post(approvals, approval(id, role)).ok()["id"], id)
	}
	s.delete(approvals + "/s1").empty()
	same(t, "deleted", roles(), []any{"signer2"})
	s.put(approvals+"/s2", approval("s2", "signer1")).ok()
	same(t, "modified", roles(), []any{"signer1"})
	name := sdkField("", "INPUT", "LABEL", object{"binding": "{signer.name}"})
	if a := s.put(approvals, []object{approval("s2", "signer2", name), approval("s3", "signer2")}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.text)
	}
	same(t, "replaced", roles(), []any{"signer2", "signer2"})
	same(t, "binding", at(t, s.get(approvals+"/s2").ok(), "fields.1.binding"), "{signer.name}")

	radio := object{"name": "field1", "validation": sdkValidation(object{"enum": []string{"group1"}})}
	for _, id := range []string{"f1", "f2"} {
		same(t, "field", s.post(approvals+"/s2/fields", sdkField(id, "INPUT", "RADIO", radio)).ok()["id"], id)
	}
	s.delete(approvals + "/s2/fields/f1").empty()
	s.put(approvals+"/s2/fields/f2", sdkField("f2", "INPUT", "RADIO", object{"name": "updated"})).ok()
	same(t, "fields", []any{len(s.get(approvals + "/s2").ok()["fields"].([]any)), s.get(approvals + "/s2/fields/f2").ok()["name"]}, []any{3, "updated"})
	s.status(path, "SENT")
	same(t, "to be signed", len(s.getList(path+"/documents/documentId/signers/signer2/approvals")), 2)
	same(t, "by nobody", len(s.getList(path+"/documents/documentId/signers/signer1/approvals")), 0)
}

// The sender signs with the API key and the signer with a session; then the package is
// completed.
func TestSDKSignsDocuments(t *testing.T) {
	s := sdk{startWithKey(t, "k3y")}
	path := s.createPackage(object{"name": "Sign", "autocomplete": true, "roles": []object{sdkRole("signer1", email1, nil)}})
	owner, _ := signerOf(t, s.read(path), sender)
	s.uploadDocuments(path, toSign("", "First Document", owner["id"].(string), "signer1"), toSign("", "Second Document", owner["id"].(string), "signer1"))
	s.status(path, "SENT")
	accepted := func(want ...bool) {
		t.Helper()
		for _, name := range []string{"First Document", "Second Document"} {
			for i, a := range documentOf(s.read(path), name)["approvals"].([]any) {
				same(t, name, a.(object)["accepted"] != nil && a.(object)["signed"] != nil, want[i])
			}
		}
	}
	every := func() (documents []any) {
		for _, d := range s.read(path)["documents"].([]any) {
			d.(object)["approvals"] = []any{}
			documents = append(documents, d)
		}
		return documents
	}
	accepted(false, false)
	s.post(path+"/documents/signed_documents", object{"documents": every()}).empty()
	accepted(true, false)
	same(t, "status", s.read(path)["status"], "SENT")
	signer := s.as(path, "signer1")
	signer.post(path+"/documents/signConfirm", every()[1]).empty()
	signer.post(path+"/documents/signed_documents", object{"documents": every()}).empty()
	accepted(true, true)
	same(t, "status", s.read(path)["status"], "COMPLETED")
	same(t, "accepted by", strings.Contains(at(t, s.read(path), "documents.0.data.esl_doc_accepted_by_signers").(string), "signer1"), true)
}

// Signers attach what is asked of them, and the sender takes it or not.
// Fields come in the order in which the examples read them: what the platform fills in
// before what the signer does.
func TestSDKReadsBoundFieldsFirst(t *testing.T) {
	c := start(t)
	bound, input := object{"type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}"}, object{"type": "INPUT", "subtype": "CHECKBOX", "binding": nil}
	path := "/api/packages/" + c.upload("POST", "/api/packages", object{"name": "Loan", "roles": []object{signerRole("ada", "ada@example.org")},
		"documents": []object{{"id": "doc", "name": "Contract", "approvals": []object{{"id": "a", "role": "ada", "fields": []object{
			input, {"type": "SIGNATURE", "subtype": "FULLNAME"}, input, bound, {"type": "INPUT", "subtype": "DATEPICKER"},
		}}}}}}, "payload file", contract()).ok()["id"].(string)
	order := func(where string, all []any) {
		t.Helper()
		var subtypes []string
		for _, one := range all {
			subtypes = append(subtypes, one.(object)["subtype"].(string))
		}
		same(t, where, strings.Join(subtypes, " "), "LABEL FULLNAME CHECKBOX CHECKBOX DATEPICKER")
	}
	order("in the package", at(t, c.get(path).ok(), "documents.1.approvals.0.fields").([]any))
	order("in the approval", at(t, c.get(path+"/documents/doc/approvals/a").ok(), "fields").([]any))
}

func TestSDKAttachments(t *testing.T) {
	s := sdk{startWithKey(t, "k3y")}
	wanted := func(names ...string) object {
		list := []object{}
		for _, name := range names {
			list = append(list, object{"id": name, "name": name, "description": "scan it", "required": true, "status": "INCOMPLETE", "comment": nil, "data": nil})
		}
		return object{"attachmentRequirements": list}
	}
	path := s.createPackage(object{"name": "Attachments", "roles": []object{sdkRole("signer1Id", email1, wanted("Driver's license")), sdkRole("signer2Id", email3, wanted("Card", "Attachment3"))}}, toSign("doc1", "First Document", "signer1Id"))
	s.status(path, "SENT")
	requirement := func(role, i string) object {
		return at(t, s.get(path+"/roles/"+role).ok(), "attachmentRequirements."+i).(object)
	}
	license := requirement("signer1Id", "0")
	if id := license["id"].(string); id == "" || url.PathEscape(id) != id || license["status"] != "INCOMPLETE" || license["description"] != "scan it" {
		t.Fatalf("%v", license)
	}
	same(t, "second's", []any{requirement("signer2Id", "0")["name"], requirement("signer2Id", "1")["name"]}, []any{"Card", "Attachment3"})
	attach := func(signer, id string, files ...string) answer {
		body, media := s.form("", files...)
		return s.as(path, signer).send("POST", path+"/attachment/"+id, media, body)
	}
	attach("signer1Id", license["id"].(string), "one").empty()
	attach("signer2Id", requirement("signer2Id", "1")["id"].(string), "two", "three").empty()
	attach("signer2Id", license["id"].(string), "not theirs").refused(http.StatusNotFound, "error.notFound.attachmentNotFound")
	license = requirement("signer1Id", "0")
	same(t, "attached", []any{license["status"], at(t, license, "files.0.id"), at(t, license, "files.0.name"), at(t, license, "files.0.insertDate").(float64) > 1e12}, []any{"COMPLETE", 1, "First Document.pdf", true})
	one := s.get(path + "/attachment/" + license["id"].(string))
	same(t, "file", []any{one.text, one.header.Get("Content-Disposition")}, []any{"one", "attachment; filename*=UTF-8''First%20Document.pdf"})
	same(t, "archives", []any{len(s.archive(path + "/attachment/zip")), len(s.archive(path + "/attachment/zip/signer1Id")), len(s.archive(path + "/attachment/zip/signer2Id"))}, []any{3, 1, 2})
	for _, status := range []string{"REJECTED", "COMPLETE"} {
		s.put(path+"/roles/signer1Id", sdkRole("signer1Id", email1, object{"attachmentRequirements": []object{{"id": license["id"], "name": license["name"], "required": true, "status": status, "comment": "why " + status}}})).ok()
		same(t, status, []any{requirement("signer1Id", "0")["status"], requirement("signer1Id", "0")["comment"], len(requirement("signer1Id", "0")["files"].([]any))}, []any{status, "why " + status, 1})
	}
	evidence := s.get(path + "/evidence/summary").text
	same(t, "evidence", strings.Count(evidence, "Package Attachment"), 3)
	file := path + "/attachment/" + license["id"].(string) + "/1"
	s.as(path, "signer2Id").delete(file).refused(http.StatusNotFound, "error.notFound.attachmentNotFound")
	s.as(path, "signer1Id").delete(file).empty()
	same(t, "taken back", []any{requirement("signer1Id", "0")["status"], s.get(file).status}, []any{"INCOMPLETE", http.StatusNotFound})
	s.post(path, object{"status": "DECLINED", "messages": []object{{"content": "no"}}}).empty()
	second := requirement("signer2Id", "1")["id"].(string)
	s.delete(path+"/attachment/"+second+"/1").refused(http.StatusBadRequest, "error.validation.attachments.delete.completedTransaction")
}
