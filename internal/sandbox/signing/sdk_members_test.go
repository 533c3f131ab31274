package signing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The SDKs' members of fields and approvals come back unchanged.
func TestFields_KeepSDKMembers(t *testing.T) {
	c := start(t)
	path := c.create(object{"name": "a", "roles": []object{signerRole("ada", "ada@example.org")}, "documents": []object{{
		"id": "doc", "name": "d", "base64Content": "JVBERi0=", "fields": []object{{"type": "IMAGE", "subtype": "QRCODE"}},
		"approvals": []object{{"id": "a", "role": "ada", "fromFile": true, "tooltip": "Sign", "fields": []object{
			{"id": "s", "type": "SIGNATURE", "subtype": "CAPTURE", "fontSize": 11, "tooltip": "Here"}, {"id": "t", "type": "INPUT", "subtype": "TEXTFIELD", "fontSize": nil},
		}}},
	}}})
	same(t, "settings", at(t, c.get(path).ok(), "settings.ceremony") != nil, true)
	d := c.get(path + "/documents/doc").ok()
	same(t, "a field of the document", at(t, d, "fields.0.id") != "", true)
	same(t, "kept", []any{at(t, d, "approvals.0.fromFile"), at(t, d, "approvals.0.tooltip"), at(t, d, "approvals.0.fields.0.fontSize"), at(t, d, "approvals.0.fields.0.tooltip")}, []any{true, "Sign", 11, "Here"})
	field := path + "/documents/doc/approvals/a/fields/t"
	_, has := c.get(field).ok()["conditions"]
	same(t, "without conditions", has, false)
	one := object{"id": "c", "condition": "document['doc'].field['t'].value == 'X'", "action": "document['doc'].field['s'].disabled = true"}
	c.put(field+"/conditionalFields", object{"fontSize": 9, "conditions": []object{one}}).ok()
	c.put(field, object{"tooltip": "Type"}).ok()
	got := c.get(field).ok()
	same(t, "changed", []any{got["conditions"], got["fontSize"], got["tooltip"]}, []any{[]any{one}, 9, "Type"})
	c.put(field+"/conditionalFields", object{"conditions": []object{}}).ok()
	same(t, "emptied", []any{c.get(field).ok()["conditions"], c.get(path).ok()["conditions"]}, []any{[]any{}, []any{}})
}

// A signature without a size is an acceptance.
func TestSignature_WithoutSizeIsAcceptance(t *testing.T) {
	c := start(t)
	anchor := object{"text": "x", "index": 0, "characterIndex": 0, "anchorPoint": "TOPLEFT", "leftOffset": 0, "topOffset": 0, "width": 10, "height": 10}
	for name, one := range map[string]struct {
		more  object
		sizes string
	}{
		"no size at all": {object{}, "200 50"}, "both zero": {object{"width": 0, "height": 0}, ""}, "one zero": {object{"width": 0}, "0 50"},
		"a place": {object{"width": 0.0, "height": 0, "top": 7, "left": 7}, ""}, "extracted": {object{"width": 0, "height": 0, "extract": true, "name": "x"}, "0 0"},
		"anchored": {object{"width": 0, "height": 0, "extractAnchor": anchor}, "10 10"}, "null": {object{"width": nil, "height": 0}, "200 0"},
	} {
		signature := sdkField("s", "SIGNATURE", "FULLNAME", one.more)
		for _, member := range []string{"width", "height"} {
			if _, sent := one.more[member]; !sent {
				delete(signature, member)
			}
		}
		path := c.packaged(withFields("DRAFT", false, signature, object{"id": "t", "type": "INPUT", "subtype": "TEXTFIELD", "width": 0, "height": 0}), contract())
		approval := at(t, c.get(path+"/documents/doc").ok(), "approvals.0").(object)
		got := ""
		for _, f := range approval["fields"].([]any) {
			got = fmt.Sprint(f.(object)["width"], " ", f.(object)["height"])
		}
		if got != one.sizes {
			t.Errorf("%s: %q, want %q", name, got, one.sizes)
		}
	}
	path := c.packaged(withFields("SENT", false, sdkField("s", "SIGNATURE", "FULLNAME", object{"width": 0, "height": 0})), contract())
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	p := c.get(path).ok()
	same(t, "accepted", []any{p["status"], at(t, p, "documents.1.approvals.0.accepted") != nil, at(t, p, "documents.1.approvals.0.fields")}, []any{"COMPLETED", true, []any{}})
}

// The account's sender may be a signer, and then gets no second role.
func TestSender_IsAlsoSigner(t *testing.T) {
	c := start(t)
	me := signerRole("me", "Sandbox@sandbox.example")
	payload := withFields("SENT", false, object{"type": "SIGNATURE", "subtype": "FULLNAME"})
	payload["roles"] = []object{me}
	payload["documents"].([]object)[0]["approvals"].([]object)[0]["role"] = "me"
	path := c.packaged(payload, contract())
	same(t, "roles", len(c.get(path).ok()["roles"].([]any)), 1)
	c.post(path+"/documents/signed_documents", everything).empty()
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")

	draft := c.create(object{"name": "a"})
	c.post(draft+"/roles", me).ok()
	same(t, "roles", at(t, c.get(draft).ok(), "roles.0.id"), "me")
	same(t, "one of them", len(c.get(draft).ok()["roles"].([]any)), 1)
	c.delete(draft + "/roles/me").empty()
	same(t, "the owner is back", at(t, c.get(draft).ok(), "roles.0.type"), "SENDER")
}

// An account may measure pages in units of its own.
func TestAccount_UnitsOfItsOwn(t *testing.T) {
	c := start(t)
	upload := func() string {
		return c.packaged(withFields("SENT", true,
			object{"id": "name", "type": "INPUT", "subtype": "TEXTFIELD", "extract": true, "name": "person.name"},
			object{"id": "tick", "type": "INPUT", "subtype": "TEXTFIELD", "left": 130, "top": 559, "width": 260, "height": 26},
			anchored(object{"text": "Sign here", "anchorPoint": "TOPLEFT", "leftOffset": 13})), contract())
	}
	before := upload()
	same(t, "no units", c.call("PUT", "/_manage/account", object{"unitsPerInch": 0}).status, http.StatusBadRequest)
	c.manage("PUT", "account", object{"unitsPerInch": 93.6})
	path := upload()
	c.manage("PUT", "account", object{"maxPage": 50})
	d := c.get(path + "/documents/doc").ok()
	for _, one := range []struct {
		member string
		want   float64
	}{
		{"pages.0.width", 780}, {"pages.0.height", 1040}, {"approvals.0.fields.0.left", 130}, {"approvals.0.fields.0.top", 104}, {"approvals.0.fields.0.width", 260},
		{"approvals.1.fields.0.left", 130}, {"approvals.2.fields.0.left", 143}, {"approvals.2.fields.0.top", 250.67}, {"approvals.2.fields.0.width", 80},
	} {
		if got := at(t, d, one.member).(float64); got-one.want > 0.5 || one.want-got > 0.5 {
			t.Errorf("%s is %v, want %v", one.member, got, one.want)
		}
	}
	same(t, "earlier uploads", at(t, c.get(before+"/documents/doc").ok(), "pages.0.width"), 600)
	place := where(t, c.signed(path, object{"tick": "words", "name": "N"}), "words")[0]
	if r := place.Rect; !place.Found || r.Left < 100 || r.Left+r.Width > 300 || r.Top < 430 || r.Top+r.Height > 450 {
		t.Errorf("it is written at %+v", place)
	}
	c.manage("POST", "reset", nil)
	same(t, "after a reset", at(t, c.get(upload()+"/documents/doc").ok(), "pages.0.width"), 600)
}

// The package's message says who asks, if there is one.
func TestPackageMessage_ReplacesSenderLine(t *testing.T) {
	c := start(t)
	const message = "Zoë <Z> asks you to sign “Loan”."
	path := c.sentPackage(object{"emailMessage": message})
	c.post(path+"/roles/ada/notifications", nil).empty()
	for _, one := range c.manage("GET", "outbox", nil).ok()["messages"].([]any) {
		if text := one.(object)["text"].(string); !strings.Contains(text, message) || strings.Contains(text, "Sandbox Sender") {
			t.Error(text)
		}
	}
	page := c.as(path, "ada").get(signingPage(path)).text
	if !strings.Contains(page, "Zoë &lt;Z&gt; asks you to sign “Loan”.") || strings.Contains(page, "From Sandbox") {
		t.Error(page)
	}
}

// A package has the settings of a ceremony whatever was sent of them: the SDKs read them.
func TestPackage_AlwaysHasCeremonySettings(t *testing.T) {
	c := start(t)
	for _, settings := range []any{object{}, nil, object{"ceremony": nil}, object{"ceremony": object{}}, object{"unheard": 1}} {
		path := c.create(object{"name": "a", "settings": settings})
		same(t, fmt.Sprint(settings), at(t, c.get(path).ok(), "settings.ceremony.declineButton"), true)
		c.put(path, object{"settings": object{}}).ok()
		same(t, "after a change to "+fmt.Sprint(settings), at(t, c.get(path).ok(), "settings.ceremony.declineButton"), true)
	}
}
