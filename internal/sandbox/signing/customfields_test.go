package signing_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const fieldsPath = "/api/account/customfields"

func customField(id, value string) object {
	return object{"id": id, "value": value, "required": true, "translations": []object{{"name": "Account"}, {"language": "de", "name": "Konto", "description": "…"}}}
}

// ids returns the ids of a listing, in order.
func (c client) ids(query string) string {
	c.t.Helper()
	a := c.get(fieldsPath + query)
	var fields []struct{ ID string }
	if err := json.Unmarshal([]byte(a.text), &fields); err != nil || a.status != http.StatusOK {
		c.t.Fatalf("%s: %d %s (%v)", a.call, a.status, a.text, err)
	}
	var all []string
	for _, one := range fields {
		all = append(all, one.ID)
	}
	return strings.Join(all, " ")
}

func TestCustomFields_OfAccount(t *testing.T) {
	c := start(t)
	same(t, "before any", c.get(fieldsPath).text, "[]")
	made := c.post(fieldsPath, customField("account", "1234")).ok()
	for member, want := range map[string]any{
		"id": "account", "value": "1234", "required": true, "name": "", "data": nil, "dirtyFields": []any{"id", "value", "required", "translations"},
		"translations.0.language": "en", "translations.0.name": "Account", "translations.0.description": "", "translations.0.data": nil,
		"translations.1.language": "de", "translations.1.dirtyFields": []any{"language", "name", "description"},
	} {
		same(t, member, at(t, made, member), want)
	}
	same(t, "translation has an id", at(t, made, "translations.0.id") != "", true)
	same(t, "read again", c.get(fieldsPath+"/account").ok(), made)
	same(t, "overwritten", c.post(fieldsPath, customField("account", "5678")).ok()["value"], "5678")
	same(t, "and by PUT", c.put(fieldsPath, customField("account", "")).ok()["value"], "")
	id := c.post(fieldsPath, object{"value": "x", "translations": []object{{"name": "n"}}}).ok()["id"]
	same(t, "an id is made up", id != "" && id != nil, true)
	c.get(fieldsPath + "/unknown").empty()
	c.delete(fieldsPath + "/" + id.(string)).empty()
	c.delete(fieldsPath + "/unknown").empty()
	same(t, "left", c.ids(""), "account")
	for _, body := range []object{{}, {"value": "a"}, {"translations": []object{{"name": "n"}}}, {"value": "a", "translations": []object{{}, {"language": "en"}}}} {
		c.post(fieldsPath, body).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	}
}

func TestCustomFields_List(t *testing.T) {
	c := start(t)
	for _, id := range []string{"b", "d", "a", "c"} {
		c.post(fieldsPath, customField(id, "v")).ok()
	}
	for query, want := range map[string]string{
		"": "a b c d", "?dir=asc": "a b c d", "?dir=desc": "d c b a", "?from=0&to=-2": "a b c d", "?from=2&to=3": "b c", "?from=1&to=1": "a",
		"?from=3": "c d", "?from=3&to=99": "c d", "?from=9": "", "?dir=desc&from=1&to=2": "d c", "?to=2": "a b",
	} {
		same(t, query, c.ids(query), want)
	}
	for _, query := range []string{"?dir=up", "?from=a", "?to=b"} {
		c.get(fieldsPath+query).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	}
}

// Custom fields can be switched off for the account; switched on again, the earlier ones
// are back.
func TestCustomFields_NotEnabled(t *testing.T) {
	c := start(t)
	c.post(fieldsPath, customField("a", "v")).ok()
	c.manage("PUT", "account", object{"customFields": false})
	for _, a := range []answer{c.get(fieldsPath), c.get(fieldsPath + "/a"), c.post(fieldsPath, customField("b", "v")), c.put(fieldsPath, customField("b", "v")), c.delete(fieldsPath + "/a")} {
		a.refused(http.StatusForbidden, "error.forbidden.customFields.notEnabled")
	}
	c.manage("PUT", "account", object{"customFields": true})
	same(t, "enabled again", c.ids(""), "a")
	c.manage("PUT", "account", object{"customFields": false})
	c.manage("POST", "reset", nil)
	same(t, "after a reset", c.ids(""), "")
}
