package signing_test

import (
	"net/http"
	"testing"
)

func TestRoles_AddedAndDeleted(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "roles": []object{signerRole("a", "ada@example.org")}})
	made := c.post(path+"/roles", signerRole("b", "Bob@example.org")).ok()
	for member, want := range map[string]any{"id": "b", "type": "SIGNER", "signers.0.email": "bob@example.org", "signers.0.name": "Ada Lovelace", "locked": false} {
		same(t, member, at(t, made, member), want)
	}
	for _, body := range []object{{"name": "Later"}, {"id": ""}, {"id": nil, "type": nil}} {
		if id := c.post(path+"/roles", body).ok()["id"]; id == "" || id == nil {
			t.Errorf("%v: no id was made up", body)
		}
	}
	all := c.get(path + "/roles").ok()
	same(t, "roles, the owner's included", all["count"], 6)
	same(t, "as in the package", all["results"], c.get(path).ok()["roles"])
	same(t, "one of them", c.get(path + "/roles/b").ok()["id"], "b")
	c.delete(path + "/roles/BOB@example.org").empty() // a signer, in any spelling
	c.delete(path + "/roles/a").empty()
	same(t, "roles", c.get(path + "/roles").ok()["count"], 4)
	for _, gone := range []answer{
		c.get(path + "/roles/b"), c.put(path+"/roles/b", object{}), c.delete(path + "/roles/b"), c.post(path+"/roles/b/unlock", nil),
	} {
		gone.refused(http.StatusNotFound, "error.notFound.roleNotFound")
	}
	for _, body := range []object{signerRole("x", "x@example.org"), {"id": "y", "type": "GUEST"}, {"id": "z", "signers": []object{{}}}} {
		if body["id"] == "x" {
			c.post(path+"/roles", body).ok()
		}
		c.post(path+"/roles", body).refused(http.StatusBadRequest, "error.validation.payload.invalid")
	}
	c.post("/api/packages/none/roles", object{}).refused(http.StatusNotFound, "error.notFound.packageNotFound")
	c.get("/api/packages/none/roles").refused(http.StatusNotFound, "error.notFound.packageNotFound")
}

func TestRole_PartialUpdate(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "roles": []object{{"id": "a", "name": "Borrower", "signers": []object{
		{"id": "s1", "email": "ada@example.org", "firstName": "Ada", "lastName": "Lovelace", "company": "Engines", "phone": "+431"},
	}}}})
	role := path + "/roles/a"
	before := c.get(role).ok()
	updated := c.put(role, object{"id": "other", "type": "SIGNER", "locked": true, "signers": []object{{"lastName": "King", "company": "", "title": "Countess"}}}).ok()
	for member, want := range map[string]any{
		"id": "a", "name": "Borrower", "locked": false, "signers.0.id": "s1", "signers.0.email": "ada@example.org", "signers.0.name": "Ada King",
		"signers.0.company": "", "signers.0.title": "Countess", "signers.0.phone": "+431", "signers.0.created": at(t, before, "signers.0.created"),
	} {
		same(t, member, at(t, updated, member), want)
	}
	updated = c.put(role, object{"signers": []object{{"id": "s2", "email": "bob@example.org", "firstName": "Bob", "lastName": "Baker"}, {"email": "ADA@example.org", "firstName": "A."}}}).ok()
	same(t, "signers", len(updated["signers"].([]any)), 2)
	same(t, "found by e-mail address", at(t, updated, "signers.1.id"), "s1")
	same(t, "its other members", at(t, updated, "signers.1.lastName"), "King")
	same(t, "without signers", len(c.put(role, object{"name": "Lender", "signers": nil}).ok()["signers"].([]any)), 2)
	same(t, "name", c.get(role).ok()["name"], "Lender")
	same(t, "none", len(c.post(role, object{"signers": []object{}}).ok()["signers"].([]any)), 0)
	c.put(role, object{"signers": []object{{"email": ""}}}).refused(http.StatusBadRequest, "error.validation.payload.invalid")
}

func TestRoles_Reordered(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "Loan", "roles": []object{signerRole("a", "a@example.org"), signerRole("b", "b@example.org")}})
	answered := c.put(path+"/roles", []object{{"id": "a", "index": 2}, {"id": "b", "index": 1, "name": "ignored"}}).ok()
	same(t, "count", answered["count"], 3)
	same(t, "second", at(t, answered, "results.1.id"), "b")
	same(t, "third", at(t, c.get(path).ok(), "roles.2.id"), "a")
	same(t, "name", at(t, answered, "results.1.name"), "")
	c.put(path+"/roles", []object{{"id": "z", "index": 1}}).refused(http.StatusNotFound, "error.notFound.roleNotFound")
	c.put(path+"/roles", object{"id": "a"}).refused(http.StatusBadRequest, "error.validation.payload.malformed")
}
