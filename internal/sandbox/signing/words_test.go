package signing_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every language has the same keys.
func TestSigningPage_LanguagesHaveSameKeys(t *testing.T) {
	files, err := filepath.Glob("assets/words/*.json")
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	var keys []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		if err := json.Unmarshal(text, &said); err != nil {
			t.Fatal(file, err)
		}
		var got []string
		for key, word := range said {
			got = append(got, key+strings.Repeat("%", strings.Count(word, "%")))
			if word == "" {
				t.Errorf("%s: %s is empty", file, key)
			}
		}
		slices.Sort(got)
		if keys == nil {
			keys = got
		}
		same(t, file, got, keys)
	}
}

// speaks returns a client whose browser prefers a language.
func (c client) speaks(language string) client {
	c.language = language
	return c
}

// The page is in the signer's own language, else in the browser's, else in English; a
// custom field's name is in the signer's language, else in the package's.
func TestSigningPage_Languages(t *testing.T) {
	c := start(t)
	c.post("/api/account/customfields", object{"id": "policy", "value": "P", "translations": []object{{"name": "Policy"}, {"language": "de", "name": "Polizze"}, {"language": "fr", "name": "Police"}}}).ok()
	for _, one := range []struct{ own, browser, document, language, sign, field string }{
		{"", "", "", "en", "Sign", "Policy"},
		{"", "de-CH,en;q=0.5", "", "de", "Unterschreiben", "Polizze"},
		{"", "ja", "", "ja", "署名する", "Policy"},
		{"", "pl,xx-broken!", "", "en", "Sign", "Policy"},
		{"", "en-US,en;q=0.9", "de-AT", "en", "Sign", "Polizze"},
		{"fr", "de", "de", "fr", "Signer", "Police"},
		{"es-MX", "de", "", "es", "Firmar", "Policy"},
	} {
		payload := withFields("SENT", false, object{"id": "policy", "type": "INPUT", "subtype": "CUSTOMFIELD", "name": "policy", "left": 1, "top": 1})
		payload["roles"].([]object)[0]["signers"].([]object)[0]["language"] = one.own
		if one.document != "" {
			payload["language"] = one.document
		}
		path := c.packaged(payload, contract())
		page := signingPage(path)
		ada := c.as(path, "ada").speaks(one.browser)
		ada.press(page, "action=accept")
		text := ada.get(page).text
		for _, part := range []string{`<html lang="` + one.language + `">`, `>` + one.sign + `</button>`, `</span> ` + one.field + `</label>`} {
			if !strings.Contains(text, part) {
				t.Errorf("%+v: no %s in %s", one, part, text)
			}
		}
	}
	gone := c.speaks("ja").get("/sign/none")
	same(t, "gone", gone.status, http.StatusForbidden)
	same(t, "said", strings.Contains(gone.text, "このリンクは使用できません"), true)
}

// A signer whose approvals are all optional can end by signing nothing.
func TestSigningPage_OptionalApprovals(t *testing.T) {
	c := start(t)
	field := func(id, kind, subtype string) object {
		return object{"id": id, "type": kind, "subtype": subtype, "left": 1, "top": 1, "validation": object{"required": true}}
	}
	for signs, want := range map[string][]string{
		"":                  {},
		"value.text=hello":  {"value.name"},
		"value.name=Ada L.": {"value.text"},
	} {
		payload := withFields("SENT", false)
		payload["documents"].([]object)[0]["approvals"] = []object{{"role": "ada", "optional": true, "fields": []object{
			field("name", "SIGNATURE", "FULLNAME"), field("text", "INPUT", "TEXTFIELD"),
		}}}
		path := c.packaged(payload, contract())
		page := signingPage(path)
		ada := c.as(path, "ada")
		form, err := url.ParseQuery(signs)
		if err != nil {
			t.Fatal(err)
		}
		for _, empty := range want {
			form.Set(empty, "")
		}
		if signs == "" {
			form = url.Values{"value.text": {""}, "value.name": {""}}
		}
		form.Set("action", "sign")
		form.Set("document", "doc")
		a := ada.press(page, form.Encode())
		if signs != "" {
			same(t, signs, a.status, http.StatusUnprocessableEntity)
			continue
		}
		same(t, "nothing entered", a.status, http.StatusSeeOther)
		p := c.get(path).ok()
		same(t, "status", p["status"], "COMPLETED")
		same(t, "signed", at(t, p, "documents.1.approvals.0.signed"), nil)
		same(t, "summary", c.get(path+"/fieldSummary").text, "[]")
	}
}

// A document that a role may not see is neither shown nor readable.
func TestSigningPage_HiddenDocuments(t *testing.T) {
	c := startWithKey(t, "k3y")
	path := c.sentPackage(object{"status": "DRAFT"})
	c.post(path+"/documents/visibility", object{"configurations": []object{{"documentUid": "doc", "roleUids": []string{"ada"}}}}).ok()
	c.put(path, object{"status": "SENT"}).empty()
	page := "/transaction/" + strings.TrimPrefix(path, "/api/packages/")
	for who, want := range map[string]int{"ada": http.StatusOK, "bob": http.StatusUnauthorized} {
		reader := c.as(path, who)
		same(t, who, reader.get(path+"/documents/doc/pdf").status, want)
		same(t, who, reader.get(page+"/documents/doc").status, want)
		same(t, who, strings.Contains(reader.get(page+"/sign").text, "Contract"), want == http.StatusOK)
	}
}
