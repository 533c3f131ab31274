package signing_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

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

// Fields come in the order in which the examples read them: what the platform fills in
// before what the signer does.
func TestSDK_ReadsBoundFieldsFirst(t *testing.T) {
	c := start(t)
	bound, input := object{"type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}"}, object{"type": "INPUT", "subtype": "CHECKBOX", "binding": nil}
	path := c.packaged(object{"name": "Loan", "roles": []object{signerRole("ada", "ada@example.org")},
		"documents": []object{{"id": "doc", "name": "Contract", "approvals": []object{{"id": "a", "role": "ada", "fields": []object{
			input, {"type": "SIGNATURE", "subtype": "FULLNAME"}, input, bound, {"type": "INPUT", "subtype": "DATEPICKER"},
		}}}}}}, contract())
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

// Signers attach what is asked of them, and the sender takes it or not.
func TestSDK_Attachments(t *testing.T) {
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
