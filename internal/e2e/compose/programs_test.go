package compose_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/e2e/e2etest"
)

// ofAProgram is a draft with what no form shows.
func ofAProgram() map[string]any {
	type object = map[string]any
	field := func(id, name, kind, subtype string, more object) object {
		all := object{"id": id, "name": name, "type": kind, "subtype": subtype, "page": 0, "left": 50, "top": 60, "width": 100, "height": 20}
		maps.Copy(all, more)
		return all
	}
	person := func(name string) object {
		return object{"firstName": name, "lastName": "Person", "email": strings.ToLower(name) + "@sandbox.example"}
	}
	return object{
		"name": "Lease", "status": "DRAFT", "due": "2131-06-15T03:59:59Z",
		"roles": []object{
			{"id": "one", "index": 1, "signers": []object{person("Alice"), person("Dora")}}, {"id": "two", "index": 1, "signers": []object{person("Bob")}},
			{"id": "three", "index": 2, "signers": []object{person("Carol")}},
		},
		"conditions": []object{{"id": "c1", "condition": "document['lease'].field['when'].value == 'a'", "action": "document['lease'].field['rent'].disabled = true"}},
		"documents": []object{{
			"id": "lease", "name": "lease.pdf", "base64Content": base64.StdEncoding.EncodeToString([]byte(document("Lease"))),
			"approvals": []object{
				{"id": "a1", "role": "one", "fields": []object{
					field("sign", "", "SIGNATURE", "FULLNAME", object{"tooltip": "Here"}), field("when", "When", "INPUT", "DATEPICKER", nil),
					field("price", "Price", "INPUT", "LABEL", object{"value": "EUR 900"}), field("rent", "Rent", "INPUT", "TEXTFIELD", object{"value": "900", "fontSize": 9}),
					field("box", "Box", "INPUT", "CHECKBOX", object{"validation": object{"enum": []string{"g"}, "group": "g", "minimumRequired": 1, "maximumRequired": 2}}),
					field("which", "Which", "INPUT", "LIST", object{"validation": object{"enum": []string{"", "a"}}}),
				}},
				{"id": "a2", "role": "two", "fields": []object{field("raw", "Raw", "SIGNATURE", "RAW_CAPTURE", nil), field("qr", "Code", "INPUT", "QRCODE", object{"value": "x"})}},
				{"id": "a3", "role": "three", "fields": []object{}},
			},
		}},
	}
}

// parts returns the roles, documents and conditions of a package, and when it is due.
func parts(t *testing.T, c *e2etest.Client, id string) string {
	t.Helper()
	var whole struct {
		Due        jsontext.Value
		Conditions jsontext.Value
		Documents  []struct{ Approvals jsontext.Value }
		Roles      []struct {
			ID           string
			Index        int
			Signers      jsontext.Value
			EmailMessage jsontext.Value
		}
	}
	if err := json.Unmarshal(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body, &whole, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A draft that a program has made is saved, copied and sent by the page with everything that no
// form shows; what the page shows of that cannot be edited.
func TestDraft_MadeByProgram(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	id := c.Send("POST", "/api/packages", ofAProgram()).Want(http.StatusOK).Text("id")
	before := parts(t, c, id)
	p := open(t, c, "/packages/new/"+id).has("Set by a program, cannot be edited here: DATEPICKER, id when.", "Dora Person can sign in this part too.", "An approval without fields", "id a3.")
	p.follow("save").has("The draft is saved.").follow("save")
	if after := parts(t, c, id); after != before {
		t.Errorf("saved, it is\n%s, was\n%s", after, before)
	}
	field := "/api/packages/" + id + "/documents/lease/approvals/a1/fields/rent"
	c.Send("PUT", field, map[string]any{"tooltip": "monthly"}).Want(http.StatusOK)
	p.set("name", "Typed").take(p.press("save").Want(http.StatusConflict))
	p.follow("replace").press("send").Want(http.StatusSeeOther)
	if sent := parts(t, c, id); sent != strings.Replace(before, `"value":"900","binding":null,"fontSize":9`, `"value":"900","binding":null,"fontSize":9,"tooltip":"monthly"`, 1) {
		t.Errorf("sent, it is\n%s, was\n%s", sent, before)
	}
	to := c.Post("/packages/"+id, "action", "copy").Want(http.StatusSeeOther).Header.Get("Location")
	copied, _, _ := strings.Cut(strings.TrimPrefix(to, "/packages/new/"), "?")
	before = parts(t, c, copied)
	open(t, c, to).follow("save")
	if after := parts(t, c, copied); after != before {
		t.Errorf("the copy becomes\n%s, was\n%s", after, before)
	}
}

// The sentence that asks for signatures names the owner of a program's package without a
// message, for each person who opens it.
func TestForm_MessageNamesOwner(t *testing.T) {
	app := e2etest.Boot(t)
	alice, operator := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	id := alice.Send("POST", "/api/packages", `{"name":"Lease"}`).Want(http.StatusOK).Text("id")
	for _, c := range []*e2etest.Client{operator, alice} {
		_, message, _ := strings.Cut(string(c.Page("/packages/new/"+id).Want(http.StatusOK).Body), `<textarea id="message"`)
		if message, _, _ = strings.Cut(message, "</textarea>"); !strings.Contains(message, "Alice") || strings.Contains(message, "Carol") {
			t.Errorf("the message is %q", message)
		}
	}
}
