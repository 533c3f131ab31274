package verification_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// with returns a payload with one member changed.
func with(name string, value any) map[string]any {
	body := maps.Clone(input())
	body[name] = value
	return body
}

// user returns a list of one user with one member changed.
func user(name string, value any) map[string]any {
	return with("users", []any{map[string]any{"first_name": "Anna", "last_name": "Muster", name: value}})
}

func redirect(id, address string) map[string]any {
	return with("configuration", map[string]any{"redirects": []any{map[string]any{"id": id, "url": address}}})
}

func document(members map[string]any) map[string]any { return with("documents", []any{members}) }

// Members that would weaken a check, or that only the platform may decide, are refused in
// every spelling, unless the settings allow them.
func TestClientMembers(t *testing.T) {
	t.Parallel()
	members := map[string]any{
		"disable_recording": true, "disable_notifications": true, "expiry_period": 30, "verifications": []any{}, "status": "completed", "events": []any{},
		"id": unknownID, "created_by": "alice", "urlSetKey": "other", "configuration.consent": map[string]any{"x": 1},
	}
	body := func(name string, value any) map[string]any {
		if outer, inner, ok := strings.Cut(name, "."); ok {
			return with(outer, map[string]any{inner: value})
		}
		return with(name, value)
	}
	app := e2etest.Boot(t, "RATE_VERIFICATION=off")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	all := slices.Sorted(maps.Keys(members))
	for _, name := range all {
		for _, spelled := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			for _, value := range []any{members[name], false, "", 0, map[string]any{}} {
				r := alice.Send("PUT", "/api/transaction", body(spelled, value)).Refused(http.StatusBadRequest, "request.invalid")
				has(t, r, `"pointer":"/`+strings.ReplaceAll(spelled, ".", "/")+`"`)
			}
			alice.Send("PUT", "/api/transaction", body(spelled, nil)).Want(http.StatusOK)
		}
	}
	alice.Send("PUT", "/api/transaction", with("urlSetKey", "default")).Want(http.StatusOK)
	alice.Send("PUT", "/api/transaction", with("more", map[string]any{"status": "x"})).Want(http.StatusOK)
	has(t, alice.Send("PUT", "/api/transaction", with("WORKFLOW_ID", unknownID)).Refused(http.StatusBadRequest, "request.invalid"), `"pointer":"/WORKFLOW_ID"`)

	allowing := e2etest.Boot(t, "RATE_VERIFICATION=off", "IDV_CLIENT_MEMBERS="+strings.Join(all, ","))
	alice = e2etest.Program(t, allowing).SignedIn("alice@sandbox")
	for _, name := range all {
		alice.Send("PUT", "/api/transaction", body(name, members[name])).Want(http.StatusOK)
	}
	alice.Send("PUT", "/api/transaction", with("expiry_period", "long")).Refused(http.StatusBadRequest, "verification.invalid")
	id := alice.Send("PUT", "/api/transaction", with("disable_recording", true)).Want(http.StatusOK).Text("id")
	if held := e2etest.Manage(t, allowing, "GET", "/transactions/"+id, nil); held.Member("disable_recording") != true {
		t.Errorf("the platform has %s", held.Body)
	}

	one := e2etest.Boot(t, "IDV_CLIENT_MEMBERS=configuration.consent")
	alice = e2etest.Program(t, one).SignedIn("alice@sandbox")
	alice.Send("PUT", "/api/transaction", body("Configuration.CONSENT", 1)).Want(http.StatusOK)
	alice.Send("PUT", "/api/transaction", with("status", "new")).Refused(http.StatusBadRequest, "request.invalid")
}

// Identifiers are passed on in lower case, however they are spelled.
func TestIdentifiersAreLowered(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	held := e2etest.Manage(t, app, "GET", "/transactions/"+started(alice), nil)
	body := with("workflow_id", strings.ToUpper(held.Text("workflow_id")))
	body["brand_id"] = strings.ToUpper(held.Text("brand_id"))
	id := alice.Send("PUT", "/api/transaction", body).Want(http.StatusOK).Text("id")
	has(t, e2etest.Manage(t, app, "GET", "/transactions/"+id, nil), held.Text("workflow_id"), held.Text("brand_id"))
}

func TestPayloadRules(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=off")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	for _, c := range []struct {
		body    map[string]any
		pointer string // "" means valid
	}{
		{with("workflow_id", unknownID), "/workflow_id"}, {with("brand_id", unknownID), "/brand_id"}, {with("workflow_id", nil), ""},
		{with("language", "english"), ""}, {with("language", "de-AT"), ""}, {with("language", "e"), "/language"}, {with("language", "en_US"), "/language"},
		{with("users", []any{}), "/users"}, {with("users", nil), "/users"}, {with("users", "x"), "/users"},
		{user("last_name", ""), "/users/0/last_name"}, {user("first_name", 1), "/users/0/first_name"},
		{user("emails", []any{"a@b.example", "Anna <a@b.example>"}), "/users/0/emails/1"}, {user("emails", []any{}), ""}, {user("emails", nil), ""},
		{user("emails", []any{"Ü@b.example", "\u212a@b.example"}), "/users/0/emails/1"}, {user("emails", []any{"a\u200b@b.example"}), "/users/0/emails/0"}, {user("emails", []any{"a@b\u3002example"}), "/users/0/emails/0"},
		{user("phone_number", "+436601234567"), ""}, {user("phone_number", "0660 1234567"), "/users/0/phone_number"},
		{user("dob", "1980-01-31"), ""}, {user("dob", "1980-01-31T00:00:00.000Z"), ""}, {user("dob", "1980-01-31T12:00:00Z"), "/users/0/dob"},
		{user("dob", "2999-01-01"), "/users/0/dob"}, {user("dob", "1980-02-31"), "/users/0/dob"},
		{user("address", map[string]any{"country_code": "GB"}), ""}, {user("address", map[string]any{"country_code": "UK"}), "/users/0/address/country_code"},
		{user("address", map[string]any{"country_code": "gb"}), "/users/0/address/country_code"},
		{user("company", strings.Repeat("é", 128)), ""}, {user("company", strings.Repeat("x", 129)), "/users/0/company"},
		{with("tokens", []any{map[string]any{"role": "a"}, map[string]any{"role": "a"}}), "/tokens/1/role"}, {with("tokens", []any{map[string]any{}}), "/tokens/0/role"},
		{with("tokens", []any{map[string]any{"role": strings.Repeat("r", 33)}}), "/tokens/0/role"}, {with("tokens", []any{}), ""},
		{with("opaque_id", strings.Repeat("é", 256)), "/opaque_id"}, {with("opaque_id", strings.Repeat("é", 255)), ""},
		{redirect("REDIRECT_ERROR", app.URL()+"/x?o={{opaqueId}}"), ""}, {redirect("REDIRECT_OTHER", app.URL()), "/configuration/redirects/0/id"},
		{redirect("REDIRECT_ERROR", "https://elsewhere.example/"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", app.URL()+"@elsewhere.example/"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", app.URL()+"{{opaqueId}}.elsewhere.example"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", "javascript:alert(1)"), "/configuration/redirects/0/url"},
		{document(map[string]any{"id": "d", "content": pdf}), ""}, {document(map[string]any{"id": "d", "document_template_id": "t"}), ""},
		{document(map[string]any{"id": "d"}), "/documents/0/content"}, {document(map[string]any{"id": "a/b", "content": pdf}), "/documents/0/id"},
		{document(map[string]any{"id": "AuditTrailDocument", "content": pdf}), "/documents/0/id"},
		{document(map[string]any{"id": "d", "content": "https://files.example/a.pdf"}), "/documents/0/content"},
		{document(map[string]any{"id": "d", "content": "aGVsbG8="}), "/documents/0/content"},
	} {
		r := alice.Send("PUT", "/api/transaction/", c.body)
		if c.pointer == "" {
			r.Want(http.StatusOK)
			continue
		}
		r.Refused(http.StatusBadRequest, "request.invalid")
		if !strings.Contains(string(r.Body), `"pointer":"`+c.pointer+`"`) {
			t.Errorf("want %s: %s", c.pointer, r.Body)
		}
	}
}
