package signing_test

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// drafted creates a draft with a document that has one approval and one field.
func (c client) drafted() string {
	c.t.Helper()
	return c.packaged(object{
		"name": "Loan", "roles": []object{signerRole("ada", "ada@example.org"), signerRole("bob", "bob@example.org")},
		"documents": []object{{"id": "doc", "name": "Contract", "approvals": []object{
			{"id": "one", "role": "ada", "fields": []object{{"id": "f", "name": "amount", "type": "INPUT", "subtype": "TEXTFIELD", "value": "5", "top": 10}}},
		}}},
	}, blankPDF)
}

func TestApprovals(t *testing.T) {
	c := start(t)
	path := c.drafted()
	approvals := path + "/documents/doc/approvals"
	made := c.post(approvals+"/", object{"id": "", "role": "bob", "name": "", "signed": "2020-01-01T00:00:00Z", "fields": []object{{"type": "SIGNATURE", "subtype": "CAPTURE"}}}).ok()
	for member, want := range map[string]any{
		"role": "bob", "name": "", "signed": nil, "accepted": nil, "optional": false, "disabled": false, "enforceCaptureSignature": false, "data": nil,
		"fields.0.subtype": "CAPTURE", "fields.0.page": 0.0, "fields.0.width": 200.0, "fields.0.height": 50.0, "fromFile": false, "fields.0.extract": false, "fields.0.value": nil, "fields.0.binding": nil,
		"fields.0.validation": nil, "fields.0.extractAnchor": nil,
	} {
		same(t, member, at(t, made, member), want)
	}
	id := made["id"].(string)
	same(t, "ids are made up", id != "" && at(t, made, "fields.0.id") != "", true)
	same(t, "read again", c.get(approvals+"/"+id).ok(), made)
	updated := c.put(approvals+"/"+id, object{"id": "other", "optional": true, "fields": nil}).ok()
	same(t, "updated", []any{updated["id"], updated["optional"], updated["role"], len(updated["fields"].([]any))}, []any{id, true, "bob", 1})
	c.delete(approvals + "/one").empty()
	if text := c.get(approvals).text; !strings.HasPrefix(text, "[{") || strings.Contains(text, `"one"`) {
		t.Error(text)
	}
	replaced := c.put(approvals, []object{{"role": "ada"}, {"role": "ada"}, {"role": "bob"}})
	same(t, "replaced", strings.Count(replaced.text, `"role":`), 3)
	same(t, "in the package", len(at(t, c.get(path).ok(), "documents.1.approvals").([]any)), 3)

	c.post(approvals, object{"name": "x"}).refused(http.StatusBadRequest, "error.validation.validateApproval.noRolesOnApproval")
	c.post(approvals, object{"role": "eve"}).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	c.put(approvals, object{"role": "ada"}).refused(http.StatusBadRequest, "error.validation.payload.malformed")
	for _, a := range []answer{c.get(approvals + "/one"), c.put(approvals+"/one", object{}), c.delete(approvals + "/one"), c.post(approvals+"/one/fields", object{})} {
		a.refused(http.StatusNotFound, "error.notFound.approvalNotFound")
	}
	c.put(path, object{"status": "SENT"}).empty()
	c.post(approvals, object{"role": "ada"}).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	c.get(path+"/documents/none/approvals").refused(http.StatusNotFound, "error.notFound.documentNotFound")
}

func TestFields_OfApproval(t *testing.T) {
	c := start(t)
	path := c.drafted()
	fields := path + "/documents/doc/approvals/one/fields"
	made := c.post(fields, object{"name": "name", "type": "INPUT", "subtype": "CUSTOMFIELD", "top": 1.25, "left": 2, "validation": object{"required": true}, "extractAnchor": object{"text": "here"}}).ok()
	for member, want := range map[string]any{"name": "name", "top": 1.25, "left": 2.0, "validation.required": true, "extractAnchor.text": "here"} {
		same(t, member, at(t, made, member), want)
	}
	id := made["id"].(string)
	same(t, "read again", c.get(fields+"/"+id).ok(), made)
	for _, method := range []string{"PUT", "POST"} {
		updated := c.call(method, fields+"/"+id, object{"id": "other", "page": 3}).ok()
		same(t, method, []any{updated["id"], updated["page"], updated["name"]}, []any{id, 3.0, "name"})
	}
	c.delete(fields + "/f").empty()
	for _, a := range []answer{c.get(fields + "/f"), c.put(fields+"/f", object{}), c.delete(fields + "/f")} {
		a.refused(http.StatusNotFound, "error.notFound.fieldNotFound")
	}
	c.post(fields, object{"page": "one"}).refused(http.StatusBadRequest, "error.validation.payload.malformed")
	same(t, "left", len(at(t, c.get(path).ok(), "documents.1.approvals.0.fields").([]any)), 1)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		all.Go(func() { c.post(fields, object{"id": name}).ok() })
	}
	all.Wait()
	same(t, "added at once", len(at(t, c.get(path).ok(), "documents.1.approvals.0.fields").([]any)), 5)
}

func TestFieldSummary(t *testing.T) {
	c := start(t)
	path := c.drafted()
	want := `[{"signerId":"ada","documentId":"doc","fieldId":"f","fieldName":"amount","fieldValue":"5"}]`
	if a := c.get(path + "/fieldSummary"); a.text != want {
		t.Errorf("%d %s, want %s", a.status, a.text, want)
	}
	same(t, "without values", c.get(c.create(object{"name": "a"})+"/fieldSummary").text, "[]")
}

func TestVisibility_OfDocuments(t *testing.T) {
	c := start(t)
	path := c.drafted()
	visibility := path + "/documents/visibility"
	same(t, "before", c.get(visibility).text, `{"configurations":[]}`)
	body := object{"configurations": []object{{"documentUid": "doc", "roleUids": []string{"bob"}}}}
	same(t, "visibility, as it is answered", c.post(visibility, body).ok(), body)
	same(t, "after", c.get(visibility).text, `{"configurations":[{"documentUid":"doc","roleUids":["bob"]}]}`)
	c.put(path, object{"description": "changed"}).empty()
	copied := "/api/packages/" + c.post(path+"/clone", object{}).ok()["id"].(string)
	same(t, "of a clone", strings.Contains(c.get(copied+"/documents/visibility").text, "bob"), true)
	c.post(visibility, object{"configurations": []object{{"documentUid": "none"}}}).refused(http.StatusNotFound, "error.notFound.documentNotFound")
	c.post(visibility, object{"configurations": []object{{"documentUid": "doc", "roleUids": []string{"eve"}}}}).refused(http.StatusNotFound, "error.notFound.roleNotFound")
	same(t, "none", c.post(visibility, object{"configurations": nil}).ok(), object{"configurations": []any{}})
	same(t, "taken back", c.get(visibility).text, `{"configurations":[]}`)
}

func TestReminders_Planned(t *testing.T) {
	c := start(t)
	path := c.drafted()
	if a := c.get(path + "/reminders"); a.status != http.StatusNoContent {
		t.Errorf("%d %s", a.status, a.text)
	}
	id := strings.TrimPrefix(path, "/api/packages/")
	plan := func(change object) object {
		p := object{"packageId": id, "startInDaysDelay": 2, "intervalInDays": 3, "repetitionsCount": 4}
		maps.Copy(p, change)
		return p
	}
	c.put(path+"/reminders", plan(nil)).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	for _, method := range []string{"POST", "PUT", "POST"} {
		set := c.call(method, path+"/reminders", plan(nil)).ok()
		same(t, method, set, object{"packageId": id, "startInDaysDelay": 2.0, "intervalInDays": 3.0, "repetitionsCount": 4.0, "reminders": []any{}})
	}
	same(t, "interval", c.get(path + "/reminders").ok()["intervalInDays"], 3)
	for _, wrong := range []object{{"intervalInDays": -1}, {"startInDaysDelay": -1}, {"repetitionsCount": 0}, {"repetitionsCount": 6}, {"repetitionsCount": nil}, {"packageId": "x"}, {"packageId": nil}} {
		c.put(path+"/reminders", plan(wrong)).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	}
	if a := c.delete(path + "/reminders"); a.status != http.StatusNoContent {
		t.Errorf("%d %s", a.status, a.text)
	}
	same(t, "deleted", c.get(path+"/reminders").status, http.StatusNoContent)
	c.post(path+"/reminders", plan(nil)).ok()
	c.put(path, object{"status": "SENT"}).empty()
	c.post(path+"/reminders", plan(nil)).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	same(t, "changed after it is sent", len(c.put(path+"/reminders", plan(object{"repetitionsCount": 5})).ok()["reminders"].([]any)), 5)
	same(t, "none once more", c.delete(path+"/reminders").status, http.StatusNoContent)
	c.put(path+"/reminders", plan(nil)).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	c.post(path, object{"status": "DECLINED", "messages": []object{{"content": "no"}}}).empty()
	c.put(path+"/reminders", plan(nil)).refused(http.StatusBadRequest, "error.validation.package.invalidState")
}
