package verification_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

const (
	unknownID = "00000000-0000-4000-8000-000000000000"
	workflow  = "0f8c1d2e-3b4a-4596-a7b8-c9d0e1f2a3b4"
	brand     = "5b6a2f7e-9f5a-4d8e-8a58-5a0b1c2d3e4f"
	ours      = "https://cs.example"
	pdf       = "JVBERi0xLjcKJSVFT0Y=" // in base64
)

type object = map[string]any

// rules returns the rules of an installation that allows these members.
func rules(t *testing.T, members ...string) verification.Rules {
	t.Helper()
	origin, err := config.ParseOrigin(ours)
	if err != nil {
		t.Fatal(err)
	}
	return verification.Rules{
		Workflows: []string{workflow}, Brands: []string{brand}, ClientMembers: members, Role: "customer",
		Origins: []config.Origin{origin}, SpoolDir: t.TempDir(), Now: time.Now,
	}
}

// read returns the payload as it is sent to the platform, or the key and the pointers by
// which it is refused.
func read(t *testing.T, r verification.Rules, payload any) (sent, refused string) {
	t.Helper()
	text, ok := payload.(string)
	if !ok {
		encoded, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		text = string(encoded)
	}
	c, err := verification.ReadCreation(strings.NewReader(text), r)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		pointers := []string{}
		for _, field := range f.Fields {
			pointers = append(pointers, field.Pointer)
		}
		if f.Key != fault.RequestInvalid {
			return "", strings.TrimSpace(string(f.Key) + " " + strings.Join(pointers, " "))
		}
		return "", strings.Join(pointers, " ")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out := c.Sent("sealed")
	body, err := io.ReadAll(out.Body)
	if err != nil || int64(len(body)) != out.Length {
		t.Errorf("%d bytes, announced %d, %v", len(body), out.Length, err)
	}
	return string(body), ""
}

// with returns a valid payload with one member changed.
func with(name string, value any) object {
	body := object{"language": "en", "users": []object{{"first_name": "Anna", "last_name": "Muster"}}}
	body[name] = value
	return body
}

// user returns a payload whose user has one member changed.
func user(name string, value any) object {
	one := object{"first_name": "Anna", "last_name": "Muster"}
	one[name] = value
	return with("users", []object{one})
}

func redirect(id, address string) object {
	return with("configuration", object{"redirects": []object{{"id": id, "url": address}}})
}

func document(members object) object { return with("documents", []object{members}) }

func TestPayload_Rules(t *testing.T) {
	r := rules(t)
	for _, c := range []struct {
		body    any
		refused string // the pointers; "" means valid
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
		{user("address", object{"country_code": "GB"}), ""}, {user("address", object{"country_code": "UK"}), "/users/0/address/country_code"},
		{user("address", object{"country_code": "gb"}), "/users/0/address/country_code"},
		{user("first_name", "Bob\u202e"), "/users/0/first_name"}, {user("last_name", "a\tb"), "/users/0/last_name"}, {user("company", "\u2066x"), "/users/0/company"},
		{user("first_name", "a\u200d\u200e\u061cb"), ""},
		{user("company", strings.Repeat("é", 128)), ""}, {user("company", strings.Repeat("x", 129)), "/users/0/company"},
		{with("tokens", []object{{"role": "a"}, {"role": "a"}}), "/tokens/1/role"}, {with("tokens", []object{{}}), "/tokens/0/role"},
		{with("tokens", []object{{"role": strings.Repeat("r", 33)}}), "/tokens/0/role"}, {with("tokens", []any{}), ""},
		{with("opaque_id", strings.Repeat("é", 256)), "/opaque_id"}, {with("opaque_id", strings.Repeat("é", 255)), ""},
		{redirect("REDIRECT_ERROR", ours+"/x?o={{opaqueId}}"), ""}, {redirect("REDIRECT_OTHER", ours), "/configuration/redirects/0/id"},
		{redirect("REDIRECT_ERROR", "https://elsewhere.example/"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", ours+"@elsewhere.example/"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", ours+"{{opaqueId}}.elsewhere.example"), "/configuration/redirects/0/url"},
		{redirect("REDIRECT_ERROR", "javascript:alert(1)"), "/configuration/redirects/0/url"},
		{document(object{"id": "d", "content": pdf}), ""}, {document(object{"id": "d", "document_template_id": "t"}), ""},
		{document(object{"id": "d"}), "/documents/0/content"}, {document(object{"id": "a/b", "content": pdf}), "/documents/0/id"},
		{document(object{"id": "AuditTrailDocument", "content": pdf}), "/documents/0/id"},
		{document(object{"id": "d", "content": "https://files.example/a.pdf"}), "/documents/0/content"},
		{document(object{"id": "d", "content": "aGVsbG8="}), "/documents/0/content"},
	} {
		if _, refused := read(t, r, c.body); refused != c.refused {
			t.Errorf("%v is refused at %q, want %q", c.body, refused, c.refused)
		}
	}
}

// Members that would weaken a check, or that only the platform may decide, are refused in
// every spelling, unless the settings allow them.
func TestClientMembers_Refused(t *testing.T) {
	members := object{
		"disable_recording": true, "disable_notifications": true, "expiry_period": 30, "verifications": []any{}, "status": "completed", "events": []any{},
		"id": unknownID, "created_by": "alice", "urlSetKey": "other", "configuration.consent": object{"x": 1},
	}
	body := func(name string, value any) object {
		if outer, inner, ok := strings.Cut(name, "."); ok {
			return with(outer, object{inner: value})
		}
		return with(name, value)
	}
	none, allowing := rules(t), rules(t, slices.Collect(maps.Keys(members))...)
	for name, value := range members {
		for _, spelled := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			for _, value := range []any{value, false, "", 0, object{}} {
				if _, refused := read(t, none, body(spelled, value)); refused != "/"+strings.ReplaceAll(spelled, ".", "/") {
					t.Errorf("%s of %v is refused at %q", spelled, value, refused)
				}
			}
			if _, refused := read(t, none, body(spelled, nil)); refused != "" {
				t.Errorf("%s without a value is refused at %q", spelled, refused)
			}
		}
		if _, refused := read(t, allowing, body(name, value)); refused != "" {
			t.Errorf("%s, which is allowed, is refused at %q", name, refused)
		}
	}
	one := rules(t, "configuration.consent")
	for _, c := range []struct {
		verification.Rules
		body    object
		refused string
	}{
		{none, with("urlSetKey", "default"), ""}, {none, with("more", object{"status": "x"}), ""}, {none, with("WORKFLOW_ID", unknownID), "/WORKFLOW_ID"},
		{one, body("Configuration.CONSENT", 1), ""}, {one, with("status", "new"), "/status"},
	} {
		if _, refused := read(t, c.Rules, c.body); refused != c.refused {
			t.Errorf("%v is refused at %q, want %q", c.body, refused, c.refused)
		}
	}
}

// Identifiers are passed on in lower case, however they are spelled; what a client leaves out
// is ours to say, and so is the tenant.
func TestPayload_AsSent(t *testing.T) {
	body := with("workflow_id", strings.ToUpper(workflow))
	body["brand_id"], body["tenant_id"], body["opaque_id"] = strings.ToUpper(brand), "elsewhere", "mine"
	for _, payload := range []object{body, with("tenant_id", "elsewhere")} {
		sent, _ := read(t, rules(t), payload)
		for _, text := range []string{`"workflow_id":"` + workflow + `"`, `"brand_id":"` + brand + `"`, `"tokens":[{"role":"customer"}]`, `"opaque_id":"sealed"`} {
			if !strings.Contains(sent, text) {
				t.Errorf("there is no %s in %s", text, sent)
			}
		}
		if strings.Contains(sent, "elsewhere") || strings.Contains(sent, "mine") {
			t.Errorf("sent is %s", sent)
		}
	}
	if sent, _ := read(t, rules(t), user("dob", "1980-01-31")); !strings.Contains(sent, `"dob":"1980-01-31T00:00:00.000Z"`) {
		t.Errorf("the day is sent as %s", sent)
	}
}

// Who verifies themselves is one person, and nobody else.
func TestSelf_OnePersonOnly(t *testing.T) {
	r := rules(t)
	person := object{"first_name": "Anna", "last_name": "Muster"}
	for _, self := range []bool{false, true} {
		for n, body := range []object{with("users", []object{person}), with("users", []object{person, person})} {
			r.Self = self
			want := ""
			if self && n > 0 {
				want = "/users"
			}
			if _, refused := read(t, r, body); refused != want {
				t.Errorf("%d of them, by oneself %t: refused at %q, want %q", n+1, self, refused, want)
			}
		}
	}
}

// Every text about a person is kept out of logs, a day also as the platform may repeat it; names
// of members and single letters are nobody's.
func TestPersonalTexts_KeptOutOfLogs(t *testing.T) {
	c, err := verification.ReadCreation(strings.NewReader(`{"language":"en","users":[
		{"first_name":"Anna","last_name":"M","dob":"1980-01-31T00:00:00.000Z","address":{"city":"Lower Mill","more":["flat","x",7]}},
		{"first_name":"Bo","last_name":"Tother"}]}`), rules(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := []string{"Anna", "1980-01-31T00:00:00.000Z", "1980-01-31", "Lower Mill", "flat", "Bo", "Tother"}
	if got := c.Sent("sealed").Personal; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Sixty-four levels are the limit, and the error names no place; without its documents a
// payload is limited to a mebibyte.
func TestPayload_DepthAndSizeLimits(t *testing.T) {
	const begin = `{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}],`
	deep := func(depth int) string { return strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) }
	file := `"documents":[{"id":"d","content":"JVBERi0x` + strings.Repeat("AAAA", 1<<19) + `"}],`
	mebibyte := strings.Repeat("a", 1<<20)
	for name, c := range map[string]struct{ rest, refused string }{
		"63 levels":  {`"x":` + deep(63) + `}`, ""},
		"64 levels":  {`"x":` + deep(64) + `}`, string(fault.RequestMalformed)},
		"65 levels":  {`"x":` + deep(65) + `}`, string(fault.RequestMalformed)},
		"many":       {`"x":` + deep(30_000) + `}`, string(fault.RequestMalformed)},
		"a text":     {`"x":"` + mebibyte + `"}`, string(fault.RequestTooLarge)},
		"a name":     {`"` + mebibyte + `":1}`, string(fault.RequestTooLarge)},
		"spaces":     {strings.Repeat(" ", 1<<20) + `"x":1}`, string(fault.RequestTooLarge)},
		"a document": {file + `"x":"` + mebibyte[:1<<19] + `"}`, ""},
	} {
		if _, refused := read(t, rules(t), begin+c.rest); refused != c.refused {
			t.Errorf("%s: refused with %q, want %q", name, refused, c.refused)
		}
	}
	if _, err := verification.ReadCreation(bytes.NewReader(nil), rules(t)); !fault.Is(err, fault.RequestMalformed) {
		t.Errorf("nothing is read as %v", err)
	}
}
