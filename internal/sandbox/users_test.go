package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/sandbox/sandboxtest"
)

func TestPutUser_CreatesAndChanges(t *testing.T) {
	p := start(t)
	p.manage(http.MethodPut, "users/grace@bank", object{"email": "grace@bank.test", "phone": "+431234567"})
	grace := p.call(http.MethodGet, "/users/grace@bank", nil)
	same(t, "displayName", grace.string("displayName"), "grace")
	same(t, "emailAddress", grace.string("emailAddress"), "grace@bank.test")
	same(t, "mobilePhoneNumber", grace.string("mobilePhoneNumber"), "+431234567")
	same(t, "first password", p.password("grace@bank", "Sandbox-1!").status, http.StatusOK)

	p.manage(http.MethodPut, "users/grace@bank", object{"passKey": "other", "displayName": "Grace", "status": "locked"})
	p.password("grace@bank", "other").refused(t, http.StatusConflict, "User is locked")
	p.manage(http.MethodPut, "users/grace@bank", object{"status": "active"})
	same(t, "new password", p.password("grace@bank", "other").status, http.StatusOK)
	same(t, "e-mail untouched", p.call(http.MethodGet, "/users/grace@bank", nil).string("emailAddress"), "grace@bank.test")

	for _, change := range []struct {
		to    object
		flags [3]bool
	}{
		{object{"enabled": false}, [3]bool{false, false, false}},
		{object{"locked": true}, [3]bool{false, true, false}},
		{object{"status": "expired"}, [3]bool{true, false, true}},
		{object{"status": "disabled", "expired": true}, [3]bool{false, false, true}},
		{object{"status": "passwordExpired"}, [3]bool{true, false, false}},
		{object{"status": "active", "locked": nil}, [3]bool{true, false, false}},
	} {
		p.manage(http.MethodPut, "users/grace@bank", change.to)
		p.flags(t, "grace@bank", change.flags)
	}
	p.manage(http.MethodPut, "users/grace@bank", object{"expired": true})
	p.password("grace@bank", "other").refused(t, http.StatusConflict, "Authentication failed")

	p.call(http.MethodPut, "/_manage/users/grace", object{}).invalid(t, "user")
	p.call(http.MethodPut, "/_manage/users/grace@bank", object{"status": "gone", "passKey": ""}).invalid(t, "status", "passKey")
	p.call(http.MethodPut, "/_manage/users/grace@bank", object{"mail": "x"}).invalid(t, "mail")
}

// flags compares enabled, locked and expired of an account.
func (p platform) flags(t *testing.T, user string, want [3]bool) {
	t.Helper()
	a := p.call(http.MethodGet, "/users/"+user, nil)
	for i, member := range []string{"enabled", "locked", "expired"} {
		same(t, user+": "+member, a.body[member], want[i])
	}
}

func TestRegistrationsList_NamesAndMembers(t *testing.T) {
	p := start(t)
	bitwarden := browser(func(o *authenticator.Options) {
		o.AAGUID = [16]byte{0xd5, 0x48, 0x82, 0x6e, 0x79, 0xb4, 0xdb, 0x40, 0xa3, 0xd8, 0x11, 0x11, 0x6f, 0x7e, 0x83, 0x49}
	})
	for _, device := range []*authenticator.FIDO2{browser(), browser(), bitwarden} {
		p.register("alice@sandbox", device, nil)
	}
	list := p.registrations("alice@sandbox")
	for i, want := range []string{"Passkey", "Passkey 2", "Passkey 3"} {
		same(t, "name", list[i]["name"], want)
		for _, member := range []string{"aaid", "keyID", "lastUsedTime"} {
			if value, there := list[i][member]; !there || value != nil {
				t.Errorf("%s must be there and null", member)
			}
		}
	}
	same(t, "aaguid of a model that stays private", list[0]["aaguid"], nil)
	same(t, "aaguid", list[2]["aaguid"], "d548826e-79b4-db40-a3d8-11116f7e8349")
}

func TestRegistration_Renamed(t *testing.T) {
	p := start(t)
	p.register("alice@sandbox", browser(), nil)
	path := "/fido-registrations/" + p.registrations("alice@sandbox")[0]["registrationID"].(string)
	for _, name := range []string{"Büro", "x", strings.Repeat("ü", 64)} {
		if a := p.call(http.MethodPatch, path, object{"name": name}); a.status != http.StatusNoContent || a.text != "" {
			t.Errorf("%q: %d %s", name, a.status, a.text)
		}
		same(t, "name", p.registrations("alice@sandbox")[0]["name"], name)
	}
	for _, name := range []any{"", "   ", strings.Repeat("ü", 65), "a\nb", nil} {
		p.call(http.MethodPatch, path, object{"name": name}).invalid(t, "name")
	}
	p.call(http.MethodPatch, path, object{"name": "x", "type": "y"}).invalid(t, "type")
	const unknown = "FIDO registration not found"
	p.call(http.MethodPatch, path+"0", object{"name": "x"}).refused(t, http.StatusNotFound, unknown)
}

// The list is of one person or of all, of one protocol or of both, in pages.
func TestRegistrationsList_Query(t *testing.T) {
	p := start(t, withUAF(t))
	for range 3 {
		p.register("alice@sandbox", browser(), nil)
	}
	p.registerUAF("alice@sandbox", demoPhone(t))
	p.register("bob@sandbox", browser(), nil)
	for query, want := range map[string]struct{ count, total float64 }{
		"": {5, 5}, "userID=alice&domain=sandbox": {4, 4}, "userID=ALICE&domain=Sandbox&type=UAF11": {1, 1}, "type=FIDO2": {4, 4},
		"userID=alice&domain=sandbox&offset=1&limit=2": {2, 4}, "userID=alice&domain=sandbox&offset=4": {0, 4}, "userID=carol&domain=sandbox": {0, 0},
	} {
		a := p.call(http.MethodGet, "/fido-registrations?"+query, nil)
		rows, _ := a.body["registrations"].([]any)
		if a.status != http.StatusOK || float64(len(rows)) != want.count || a.body["count"] != want.count || a.body["total"] != want.total {
			t.Errorf("%q: %d %s", query, a.status, a.text)
		}
	}
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "offset=-1": "offset", "offset=x": "offset", "type=U2F": "type", "user=alice": "user", "userID=alice": "userID",
	} {
		p.call(http.MethodGet, "/fido-registrations?"+query, nil).invalid(t, field)
	}
}

// found returns the names of the people whom a query finds, and the total.
func (p platform) found(query string) (names []string, total float64) {
	p.t.Helper()
	response, text := sandboxtest.Send(p.t, p.request(http.MethodGet, "/users?"+query, ""))
	var pages []struct {
		Users []struct{ UserID, Domain string }
		Total float64
	}
	if err := json.Unmarshal([]byte(text), &pages); err != nil || response.StatusCode != http.StatusOK || len(pages) != 1 {
		p.t.Fatalf("%s: %d %s (%v)", query, response.StatusCode, text, err)
	}
	for _, one := range pages[0].Users {
		names = append(names, one.UserID+"@"+one.Domain)
	}
	return names, pages[0].Total
}

func TestQueryUsers_FiltersAndPages(t *testing.T) {
	p := start(t)
	p.manage(http.MethodPut, "users/alina@bank", object{"email": "alina@bank.test", "displayName": "Alina"})
	for query, want := range map[string]string{
		"userID=*AL*": "alice@sandbox alina@bank", "userID=alice": "alice@sandbox", "userID=ali": "", "userID=*al*&domain=Bank": "alina@bank",
		"displayName=Alina": "alina@bank", "displayName=Ali*": "", "emailAddress=alina@bank.test": "alina@bank", "locked=true": "erin@sandbox",
		"enabled=false": "dave@sandbox", "limit=2": "alice@sandbox alina@bank", "limit=2&offset=6": "frank@sandbox",
	} {
		names, total := p.found(query)
		same(t, query, strings.Join(names, " "), want)
		if strings.Contains(query, "limit") {
			same(t, "total", total, 7.0)
		}
	}
	p.call(http.MethodGet, "/users?limit=101", nil).invalid(t, "limit")
}

func TestUnlockUser_LockedOrNot(t *testing.T) {
	p := start(t)
	same(t, "unlocking", p.call(http.MethodPost, "/users/erin@sandbox/unlock", nil).status, http.StatusNoContent)
	p.flags(t, "erin@sandbox", [3]bool{true, false, false})
	p.call(http.MethodPost, "/users/erin@sandbox/unlock", nil).refused(t, http.StatusConflict, "User account is not locked")
	p.call(http.MethodPost, "/users/nobody@sandbox/unlock", nil).refused(t, http.StatusNotFound, "User account not found")
}

func TestUpdateUser_StaleETagRefused(t *testing.T) {
	p := start(t)
	tag := p.call(http.MethodGet, "/users/dave@sandbox", nil).header.Get("ETag")
	a := p.call(http.MethodPatch, "/users/dave@sandbox", object{"enabled": true, "displayName": "Dave"})
	same(t, "status", a.status, http.StatusOK)
	same(t, "enabled", a.body["enabled"], true)
	same(t, "displayName", a.body["displayName"], "Dave")
	if now := a.header.Get("ETag"); now == "" || now == tag {
		t.Errorf("ETag %q, and %q before", now, tag)
	}
	p.flags(t, "dave@sandbox", [3]bool{true, false, false})
	stale := p.request(http.MethodPatch, "/users/dave@sandbox", `{"enabled":false}`)
	stale.Header.Set("Content-Type", "application/json")
	stale.Header.Set("If-Match", tag)
	same(t, "a stale change", p.send(stale).status, http.StatusConflict)
	p.flags(t, "dave@sandbox", [3]bool{true, false, false})
	p.call(http.MethodPatch, "/users/dave@sandbox", object{"staticPassword": "short", "vdpDeliveryMethod": "Pigeon"}).invalid(t, "staticPassword", "vdpDeliveryMethod")
	p.call(http.MethodPatch, "/users/nobody@sandbox", object{}).refused(t, http.StatusNotFound, "User account not found")
}
