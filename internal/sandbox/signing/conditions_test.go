package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Conditions decide which fields have to be filled in, on the page and by REST.
func TestConditions_WhileSigning(t *testing.T) {
	c := start(t)
	field := func(id, kind, subtype string) object {
		return object{"id": id, "type": kind, "subtype": subtype, "left": 1, "top": 1}
	}
	asks := func(id, is string) string { return "document['doc'].field['" + id + "'].value " + is }
	makes := func(id, is string) string { return "document['doc'].field['" + id + "']." + is }
	for _, one := range []struct {
		condition, action string
		entered           string // by the signer
		alert             string // the field with an alert
		kept              string // the values in the finished document
	}{
		{asks("tick", "== 'X'"), makes("text", "required = true"), "value.tick=X", "text", ""},
		{asks("tick", "== 'X'"), makes("text", "required = true"), "", "", ""},
		{asks("tick", "== 'X'"), makes("text", "required = true"), "value.tick=X&value.text=a", "", "tick=X text=a"},
		{asks("tick", "!= 'X'"), makes("text", "disabled = true"), "value.text=a", "", ""},
		{asks("tick", "!= 'X'"), makes("text", "disabled = true"), "value.tick=X&value.text=a", "", "tick=X text=a"},
		{asks("tick", "== 'X'"), makes("text", "disabled = false"), "value.text=a", "", ""},
		{asks("list", "== 'a && b' || ") + asks("list", "== \"c\""), makes("text", "required = true"), "value.list=c", "text", ""},
		{asks("list", "== 'a && b' && ") + asks("tick", "== null"), makes("text", "required = true"), "value.list=a+%26%26+b", "text", ""},
		{asks("list", "== 'a && b' && ") + asks("tick", "== null"), makes("text", "required = true"), "value.list=a+%26%26+b&value.tick=X", "", "tick=X list=a && b"},
		{asks("tick", "== 'X'"), makes("name", "required = true"), "value.tick=X&value.name=", "name", ""},
		{asks("tick", "== 'X'"), makes("name", "required = true"), "value.name=", "", ""},
		{asks("tick", "== 'X'"), makes("name", "disabled = true"), "value.tick=X&value.name=Ada", "", "tick=X"},
		{"anything('else')", makes("text", "required = true"), "", "", ""},
		{asks("tick", "== ''"), "alert(1)", "", "", ""},
	} {
		list := field("list", "INPUT", "LIST")
		list["validation"] = object{"enum": []string{"a && b", "c"}}
		payload := withFields("SENT", false)
		payload["documents"].([]object)[0]["approvals"] = []object{
			{"id": "first", "role": "ada", "fields": []object{field("tick", "INPUT", "CHECKBOX"), list, field("text", "INPUT", "TEXTFIELD")}},
			{"id": "second", "role": "ada", "optional": true, "fields": []object{field("name", "SIGNATURE", "FULLNAME")}},
		}
		payload["conditions"] = []object{{"id": "c", "condition": one.condition, "action": one.action}}
		path := c.packaged(payload, contract())
		form, err := url.ParseQuery(one.entered)
		if err != nil {
			t.Fatal(err)
		}
		form.Set("action", "sign")
		form.Set("document", "doc")
		page := signingPage(path)
		a := c.as(path, "ada").send("POST", page, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
		if one.alert != "" {
			same(t, one.condition+one.entered, a.status, http.StatusUnprocessableEntity)
			same(t, one.condition+one.entered, strings.Contains(strings.ReplaceAll(a.text, " required", ""), `name="value.`+one.alert+`" value="" aria-invalid="true"`), true)
			continue
		}
		same(t, one.condition+one.action+one.entered, a.status, http.StatusSeeOther)
		same(t, one.condition+one.action+one.entered, c.get(path).ok()["status"], "COMPLETED")
		var kept []string
		for _, line := range c.getList(path + "/fieldSummary") {
			kept = append(kept, at(t, line, "fieldId").(string)+"="+at(t, line, "fieldValue").(string))
		}
		same(t, one.condition+one.action+one.entered, strings.Join(kept, " "), one.kept)
	}
}

// By REST, a value of a disabled field is ignored, and a missing required one is refused.
func TestConditions_OfSignedDocuments(t *testing.T) {
	c := start(t)
	payload := withFields("SENT", false)
	payload["documents"].([]object)[0]["approvals"] = []object{{"id": "a", "role": "ada", "fields": []object{
		{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX"}, {"id": "text", "type": "INPUT", "subtype": "TEXTFIELD"},
	}}}
	payload["conditions"] = []object{{"id": "c", "condition": "document['doc'].field['tick'].value == 'X'", "action": "document['doc'].field['text'].required = true"}}
	path := c.packaged(payload, contract())
	signs := func(fields ...object) object {
		return object{"documents": []object{{"id": "doc", "approvals": []object{{"id": "a", "fields": fields}}}}}
	}
	ada := c.as(path, "ada")
	ada.post(path+"/documents/signed_documents", signs(object{"id": "tick", "value": "X"})).refused(http.StatusBadRequest, "error.validation.field.invalidValue")
	ada.post(path+"/documents/signed_documents", signs(object{"id": "tick", "value": "X"}, object{"id": "text", "value": "a"})).empty()
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
}
