package signing_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Operators edit the custom fields of the account, without scripts; nobody else may.
func TestCustomFields_EditedByOperators(t *testing.T) {
	app := e2etest.Boot(t)
	carol, alice := e2etest.Browser(t, app).SignedIn("carol@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	const path = "/custom-fields"
	has(t, carol.Page("/").Want(http.StatusOK), `href="/custom-fields"`)
	lacks(t, alice.Page("/").Want(http.StatusOK), `href="/custom-fields"`)
	alice.Page(path).Want(http.StatusForbidden)
	alice.Post(path, "action", "delete", "id", "iban").Want(http.StatusForbidden)
	e2etest.Browser(t, app).Page(path).Want(http.StatusSeeOther)
	has(t, carol.Page(path), ">New custom field<", "There are none yet")
	has(t, carol.Page(path+"?new=yes"), ">Identifier<", ">Value<", ">Required<", ">Language<", ">Name<", ">Save<", ">Add a translation<")

	send := func(fields url.Values) e2etest.Reply {
		fields.Set("shown_to", carol.ShownTo())
		return carol.Send("POST", path, fields.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	}
	field := func(action, value string, languages ...string) url.Values {
		f := url.Values{"action": {action}, "id": {"iban"}, "value": {value}, "required": {"yes"}}
		for _, l := range languages {
			f.Add("language", l)
			f.Add("name", "Account in "+l)
		}
		return f
	}
	has(t, send(field("save", "1", "english")).Want(http.StatusBadRequest), `id="language-0-wrong"`, `value="english"`, `value="Account in english"`)
	has(t, send(field("save", "1", "en", "de", "en")).Want(http.StatusBadRequest), `id="language-2-wrong"`)
	has(t, send(field("save", "1")).Want(http.StatusBadRequest), `id="language-0-wrong"`)
	has(t, send(field("save", " ", "en")).Want(http.StatusBadRequest), `id="value-wrong"`, `aria-invalid="true" autofocus`)
	unnamed := url.Values{"action": {"save"}, "id": {"iban"}, "value": {""}, "language": {"en", "de"}, "name": {"", "Konto"}}
	both := send(unnamed).Want(http.StatusBadRequest)
	has(t, both, `id="value-wrong"`, `id="name-0-wrong"`, `value="Konto"`, "This must not be empty.")
	lacks(t, both, `id="name-1-wrong"`)
	if n := strings.Count(string(both.Body), "autofocus"); n != 1 {
		t.Errorf("%d have the focus", n)
	}
	lacks(t, carol.Page(path), "Konto")
	more := send(field("add-translation", "1", "en")).Want(http.StatusOK)
	has(t, more, `id="language-1"`, `value="Account in en"`)
	send(field("save", "1", "en", "de")).Want(http.StatusSeeOther)
	has(t, carol.Page(path), "Account in en", "iban", ">Edit<", ">Delete<", "de · Account in de")

	asked := send(field("save", "2", "fr")).Want(http.StatusOK)
	if !regexp.MustCompile(`(?s)>Go back<.*>Overwrite<`).Match(asked.Body) {
		t.Errorf("it is not asked: %s", asked.Body)
	}
	has(t, carol.Page(path+"?edit=iban"), `value="1"`, "readonly")
	has(t, send(field("overwrite", "", "fr")).Want(http.StatusBadRequest), `id="value-wrong"`)
	send(field("overwrite", "2", "fr")).Want(http.StatusSeeOther)
	has(t, carol.Page(path+"?edit=iban"), `value="2"`, `value="Account in fr"`)
	lacks(t, carol.Page(path+"?edit=iban"), "Account in de")
	for _, id := range []string{"nothing", "..", "%ff"} {
		carol.Page(path + "?edit=" + id).Want(http.StatusNotFound)
	}
	has(t, carol.Page(path+"?delete=iban"), "Delete iban?", ">Go back<", ">Delete<")
	for range 2 {
		carol.Post(path, "action", "delete", "id", "iban").Want(http.StatusSeeOther)
	}
	lacks(t, carol.Page(path), "iban")
	carol.Post(path, "action", "nothing").Want(http.StatusBadRequest)
	e2etest.Manage(t, app, "PUT", "/account", object{"customFields": false})
	carol.Page(path).Want(http.StatusForbidden)
}
