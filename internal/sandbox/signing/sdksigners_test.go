package signing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Signers are added, removed, updated, ordered, unlocked, reminded and authenticated.
func TestSDKChangesSigners(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Signers", "roles": []object{sdkRole("role1", email1, object{"index": 1}), sdkRole("role2", email3, object{"index": 2})}}, toSign("doc1", "First Document", "role1", "role2"))
	added := s.post(path+"/roles", sdkRole("0123456789abcdef", "third@example.org", nil)).ok()
	same(t, "roles", len(s.read(path)["roles"].([]any)), 4)
	s.delete(path + "/roles/role1").empty()
	p := s.read(path)
	if _, gone := signerOf(t, p, email1); gone != nil || len(p["roles"].([]any)) != 3 {
		t.Errorf("after the removal: %v", p["roles"])
	}
	update := sdkRole("another id", "updated@example.org", object{"attachmentRequirements": []any{}})
	update["signers"].([]object)[0]["id"], update["id"] = "role2", "role2"
	s.put(path+"/roles/role2", update).ok()
	role, signer := signerOf(t, s.read(path), "updated@example.org")
	same(t, "updated", []any{role["id"], signer["id"], signer["firstName"]}, []any{"role2", "role2", "John"})
	same(t, "unlocked", s.post(path+"/roles/"+added["id"].(string)+"/unlock", nil).ok()["locked"], false)
	owner, _ := signerOf(t, s.read(path), sender)
	order := []object{{"id": owner["id"], "index": 0}, sdkRole("role2", "updated@example.org", object{"index": 2}), sdkRole("0123456789abcdef", "third@example.org", object{"index": 1})}
	ordered := s.put(path+"/roles", order).ok()
	same(t, "order", []any{at(t, ordered, "results.1.id"), at(t, ordered, "results.2.id"), ordered["count"]}, []any{"0123456789abcdef", "role2", 3})

	sms := sdkRole("role2", "updated@example.org", nil)
	sms["signers"].([]object)[0]["auth"] = object{"scheme": "SMS", "challenges": []object{{"question": "+12042345678", "answer": nil, "maskInput": false}}}
	s.put(path+"/roles/role2", sms).ok()
	s.status(path, "SENT")
	_, signer = signerOf(t, s.read(path), "updated@example.org")
	same(t, "authentication", []any{at(t, signer, "auth.scheme"), at(t, signer, "auth.challenges.0.question"), at(t, signer, "notificationMethods.primary")}, []any{"SMS", "+12042345678", []any{"EMAIL"}})
	s.post(path+"/notifications", object{"email": "updated@example.org", "message": "please"}).empty()
	s.post(path+"/roles/role2/notifications", nil).empty()
	s.get(path+"/roles/role1").refused(http.StatusNotFound, "error.notFound.roleNotFound")
}

// Reminders are planned before the package is sent, and changed afterwards.
func TestSDKReminders(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Reminders", "roles": []object{sdkRole("role1", email1, nil)}}, toSign("doc1", "First Document", "role1"))
	plan := object{"packageId": strings.TrimPrefix(path, "/api/packages/"), "startInDaysDelay": 2, "intervalInDays": 1, "repetitionsCount": 5}
	s.post(path+"/reminders", plan).ok()
	s.status(path, "SENT")
	same(t, "interval", s.get(path + "/reminders").ok()["intervalInDays"], 1)
	plan["intervalInDays"], plan["repetitionsCount"] = 2, 3
	s.put(path+"/reminders", plan).ok()
	same(t, "changed", []any{s.get(path + "/reminders").ok()["intervalInDays"], len(s.get(path + "/reminders").ok()["reminders"].([]any))}, []any{2, 3})
	same(t, "deleted", []any{s.delete(path + "/reminders").status, s.get(path + "/reminders").status}, []any{204, 204})
}

// Data about a package outside its JSON: alerts, and the contact.
func TestSDKExtras(t *testing.T) {
	s := sdk{start(t)}
	path := s.createPackage(object{"name": "Extras", "roles": []object{sdkRole("role1", email1, nil)}})
	same(t, "alerts", []any{s.get(path + "?extensions=alerts").ok()["alerts"], s.get(path).ok()["alerts"]}, []any{[]any{}, nil})
	support := s.get("/api/package_information/" + strings.TrimPrefix(path, "/api/packages/") + "/support_information").ok()
	same(t, "support", support["email"] != "" && support["phone"] != "", true)
}

// The SDK follows a signing URL or a redirect itself: it uses Location unchanged, and the
// cookie as it finds it.
func TestSDKFollowsSigningURLs(t *testing.T) {
	s := sdk{startWithKey(t, "k3y")}
	path := s.createPackage(object{"name": "URLs", "settings": object{"ceremony": object{"inPerson": true}}, "roles": []object{sdkRole("role1", email1, nil)}}, toSign("doc1", "First Document", "role1"))
	s.status(path, "SENT")
	id := strings.TrimPrefix(path, "/api/packages/")
	token := func(body object) string {
		return url.QueryEscape(s.post("/api/authenticationTokens/signer/multiUse", body).ok()["value"].(string))
	}
	signer := object{"packageId": id, "signerId": "role1", "sessionFields": nil, "value": "", "delegateeId": nil}
	links := []string{s.get(path + "/roles/role1/signingUrl").ok()["url"].(string)}
	for _, page := range []string{"/packages/" + id + "/sign", "/transaction/" + id + "/sign"} {
		links = append(links, s.url+"/auth?signerAuthenticationToken="+token(signer)+"&target="+url.QueryEscape(s.url+page))
	}
	for _, link := range links {
		visitor := s.client
		visitor.key = ""
		a := visitor.get(strings.TrimPrefix(link, s.url))
		location, err := url.Parse(a.header.Get("Location"))
		if err != nil || !location.IsAbs() {
			t.Fatalf("%s leads to %q (%v)", link, a.header.Get("Location"), err)
		}
		cookie, _, _ := strings.Cut(strings.TrimPrefix(a.header.Get("Set-Cookie"), "ESIGNLIVE_SESSION_ID="), ";")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, location.String(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", "ESIGNLIVE_SESSION_ID="+cookie+";ESIGNLIVE_TEMP_TOKEN=")
		if page := visitor.do(r); page.status != http.StatusOK || !strings.Contains(page.text, "Electronic Disclosures and Signatures Consent") {
			t.Errorf("%s: %d %s", location, page.status, page.text)
		}
	}
}
