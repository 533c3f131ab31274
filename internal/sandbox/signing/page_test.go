package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Fields are form controls in reading order, and wrong values come back with their
// errors.
func TestSigningPage_Fields(t *testing.T) {
	c := start(t)
	c.post("/api/account/customfields", object{"id": "policy", "value": "P-4711", "translations": []object{{"name": "Policy"}, {"language": "de", "name": "Polizze"}}}).ok()
	at := func(f object, top int) object {
		f["left"], f["top"], f["width"], f["height"] = 50, top, 200, 20
		return f
	}
	payload := withFields("SENT", false,
		at(object{"id": "sign", "type": "SIGNATURE", "subtype": "CAPTURE"}, 700),
		at(object{"id": "word", "type": "INPUT", "subtype": "TEXTFIELD", "name": "Word", "validation": object{"required": true, "pattern": "^[a-z]+$", "errorMessage": "Small <letters>."}}, 100),
		at(object{"id": "note", "type": "INPUT", "subtype": "TEXTAREA"}, 200),
		at(object{"id": "policy", "type": "INPUT", "subtype": "CUSTOMFIELD", "name": "policy"}, 300),
		at(object{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX"}, 400),
		at(object{"id": "list", "type": "INPUT", "subtype": "LIST", "validation": object{"enum": []string{"a", "b"}}}, 500),
		at(object{"id": "by", "type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}"}, 600),
	)
	payload["language"] = "de-AT"
	path := c.packaged(payload, contract())
	ada := c.as(path, "ada")
	page := signingPage(path)
	same(t, "accepted", ada.press(page, "action=accept").status, http.StatusSeeOther)
	text, pages := ada.get(page).text, strings.TrimSuffix(page, "sign")+"documents/doc/pages/"
	last := 0
	for _, part := range []string{`alt="Page 1 of `, `</span> Word <span class="required" aria-hidden="true">(required)</span></label>`, `</span> Text area 2</label>`, `</span> Polizze</label>`, `value="P-4711"`, `</span> Checkbox 4</label>`, `<option>b</option>`, `value="Ada Lovelace" readonly`, `aria-label="Draw your signature"`} {
		i := strings.Index(text, part)
		if i < last {
			t.Errorf("%s is missing or out of order in %s", part, text)
		}
		last = i
	}
	for _, one := range []string{"1.png?width=800", "1.png?width=400"} {
		if picture := ada.get(pages + one); picture.status != http.StatusOK || picture.header.Get("Content-Type") != "image/png" || !strings.HasPrefix(picture.text, "\x89PNG") || !strings.Contains(text, pages+one) {
			t.Errorf("%s: %d %s", one, picture.status, picture.header)
		}
	}
	if words := ada.get(pages + "1.txt"); !strings.Contains(words.text, "Rent") && words.status != http.StatusOK {
		t.Errorf("the text is %d %q", words.status, words.text)
	}
	for _, none := range []string{"9.png", "0.png", "01.png", "1.gif", "x.txt"} {
		same(t, none, ada.get(pages+none).status, http.StatusNotFound)
	}
	form := url.Values{"action": {"sign"}, "document": {"doc"}, "value.word": {"A1"}, "value.note": {"two\nlines"}, "value.policy": {"other"}, "value.tick": {"X"}, "value.list": {"b"}}
	wrong := ada.press(page, form.Encode())
	same(t, "status", wrong.status, http.StatusUnprocessableEntity)
	for _, part := range []string{`<title>Error: `, `value="A1" required aria-invalid="true" aria-describedby="e1" autofocus`, `<p role="alert" id="e1">Small &lt;letters&gt;.</p>`, `>two
lines</textarea>`, `value="X" checked`, `<option selected>b</option>`, `id="e7">Draw your signature, or type your name.</p>`} {
		if !strings.Contains(wrong.text, part) {
			t.Errorf("no %s in %s", part, wrong.text)
		}
	}
	same(t, "nothing is signed", c.get(path + "/signingStatus").ok()["status"], "SIGNING_PENDING")
	form.Set("value.word", "right")
	form.Set("drawn.sign", "[[[0,0],[1,0.5]]]")
	same(t, "signed", ada.press(page, form.Encode()).status, http.StatusSeeOther)
	p := c.get(path).ok()
	same(t, "status", p["status"], "COMPLETED")
	finished := c.get(path + "/documents/doc/pdf").text
	for _, value := range []string{"right", "two", "other", "Ada Lovelace"} {
		if !where(t, finished, value)[0].Found {
			t.Errorf("%s is not in the document", value)
		}
	}
	for asset, media := range map[string]string{"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"} {
		same(t, asset, c.get("/signing/"+asset).header.Get("Content-Type"), media)
	}
	c.get("/signing/page.html").refused(http.StatusNotFound, "error.notFound.resourceNotFound")
}

// Of a group's radio buttons only the chosen one is selected.
func TestSigningPage_RadioButtons(t *testing.T) {
	c := start(t)
	radio := func(id string) object {
		return object{"id": id, "type": "INPUT", "subtype": "RADIO", "left": 1, "top": 1, "validation": object{"required": true, "enum": []string{"sex"}}}
	}
	payload := withFields("SENT", false)
	payload["documents"].([]object)[0]["approvals"] = []object{{"role": "ada", "fields": []object{radio("f"), radio("m"), radio("x")}}}
	path := c.packaged(payload, contract())
	ada := c.as(path, "ada")
	page := signingPage(path)
	none := ada.press(page, "action=sign&document=doc")
	same(t, "none chosen", none.status, http.StatusUnprocessableEntity)
	chosen := ada.press(page, "action=sign&document=doc&group.sex=m")
	same(t, "one chosen", chosen.status, http.StatusSeeOther)
	same(t, "summary", c.get(path+"/fieldSummary").text, strings.ReplaceAll(`[{"signerId":"ada","documentId":"doc","fieldId":"m","fieldName":"","fieldValue":"X"}]`, " ", ""))
}

// Entered values are kept while the signer looks at another document, or at declining.
func TestSigningPage_KeepsEnteredValues(t *testing.T) {
	c := start(t)
	payload := withFields("SENT", false,
		object{"id": "word", "type": "INPUT", "subtype": "TEXTFIELD", "left": 1, "top": 1},
		object{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX", "left": 1, "top": 2},
		object{"id": "name", "type": "SIGNATURE", "subtype": "CAPTURE", "left": 1, "top": 3})
	payload["roles"] = append(payload["roles"].([]object), signerRole("eve", "eve@example.org"))
	payload["documents"] = append(payload["documents"].([]object), object{"id": "annex", "name": "Annex"})
	path := "/api/packages/" + c.upload("POST", "/api/packages", payload, "payload file file", contract(), contract()).ok()["id"].(string)
	page := signingPage(path)
	ada, eve := c.as(path, "ada"), c.as(path, "eve")
	ada.press(page, "action=accept")
	eve.press(page, "action=accept")
	const entered = "document=doc&value.word=half&value.tick=X&value.name=&drawn.name=%5B%5B%5B0%2C1%5D%5D%5D"
	for form, leads := range map[string]string{"&next=annex": "?document=annex", "&decline=ask": "?decline=ask", "&next=%2F%2Fevil.example": "?document=%2F%2Fevil.example"} {
		same(t, form, ada.press(page, entered+form).header.Get("Location"), page+leads)
	}
	text := ada.get(page).text
	for _, part := range []string{`value="half"`, `value="X" checked`, `value="[[[0,1]]]"`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	same(t, "nobody else's", strings.Contains(eve.get(page).text, "half"), false)
	same(t, "said to who signs nothing", strings.Contains(eve.get(page).text, "You have nothing to sign here."), true)
	same(t, "kept as values", c.get(path+"/fieldSummary").text, "[]")
}
