package verification_test

import (
	"bytes"
	"html"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/seal"
	"countersign/internal/verification/index"
)

// unknownID is no transaction's id.
const unknownID = "00000000-0000-4000-8000-000000000000"

// input returns a valid payload.
func input() map[string]any {
	return map[string]any{"language": "en", "users": []any{map[string]any{"first_name": "Anna", "last_name": "Muster"}}}
}

// started returns a transaction of c's.
func started(c *e2etest.Client) string {
	c.T.Helper()
	return c.Send("PUT", "/api/transaction/", input()).Want(http.StatusOK).Text("id")
}

// The log contains no personal data, although the platform repeats the request.
func TestLog_NoPersonalData(t *testing.T) {
	t.Parallel()
	log := new(logtest.Log)
	app := e2etest.BootTo(t, log, "RATE_VERIFICATION=off")
	alice, page := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	about := with("users", []any{map[string]any{
		"first_name": "Zaphod", "last_name": "O'Beeblebröx \"Zee\"", "dob": "1980-01-31", "emails": []any{"zaphod@heart.example"},
	}})
	echo := "no Zaphod O'Beeblebröx \"Zee\" (1980-01-31T00:00:00.000Z) at zaphod@heart.example"
	for _, body := range []any{
		map[string]any{"error": echo, "message": echo, "validationErrors": []any{echo, map[string]any{"message": echo}}}, "<p>" + echo, "<p>" + html.EscapeString(echo),
	} {
		for _, status := range []int{400, 403, 500, 503} {
			e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createTransaction", "status": status, "body": body, "times": 2})
			alice.Send("PUT", "/api/transaction", about)
			send(t, page, map[string]string{"first_name": "Zaphod", "last_name": "O'Beeblebröx \"Zee\"", "dob": "1980-01-31", "email": "zaphod@heart.example"})
			e2etest.Manage(t, app, "DELETE", "/faults", nil)
		}
	}
	alice.Send("PUT", "/api/transaction", about).Want(http.StatusOK)
	text := log.String()
	if !strings.Contains(text, "createTransaction: the platform answered 400") {
		t.Error("the log does not say what happened")
	}
	for _, told := range []string{"Zaphod", "zaphod@", "Beeble", "1980-01-31"} {
		if i := strings.Index(text, told); i >= 0 {
			t.Errorf("the log tells %q: %s", told, text[max(0, i-300):i+len(told)])
		}
	}
}

// A person who verifies themselves says so; at the platform the transaction carries this,
// sealed with their id.
func TestCreation_ForSelf(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{0x19, 0xb8}, seal.KeyLength/2)
	keys, err := seal.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	app := e2etest.Boot(t, "ACCESS_KEYS="+strings.Repeat("19b8", seal.KeyLength/2))
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	sealed := func(id string) index.Starter {
		t.Helper()
		by, ok := index.NewStarters(keys).Open(e2etest.Manage(t, app, "GET", "/transactions/"+id, nil).Text("opaque_id"))
		if !ok {
			t.Fatal("it does not open")
		}
		return by
	}
	for query, want := range map[string]bool{"": false, "?for=self": true} {
		id := alice.Send("PUT", "/api/transaction"+query, with("opaque_id", "mine")).Want(http.StatusOK).Text("id")
		if got := sealed(id); got != (index.Starter{User: "alice@sandbox", Own: "mine", Self: want}) {
			t.Errorf("%q: %+v", query, got)
		}
	}
	for _, query := range []string{"?for=", "?for=Self", "?for=other", "?for=self&for=other"} {
		has(t, alice.Send("PUT", "/api/transaction"+query, input()).Refused(http.StatusBadRequest, "request.invalid"), `"pointer":"/for"`)
	}
	one := input()["users"].([]any)[0]
	has(t, alice.Send("PUT", "/api/transaction?for=self", with("users", []any{one, one})).Refused(http.StatusBadRequest, "request.invalid"), `"pointer":"/users"`)
	alice.Send("PUT", "/api/transaction", with("users", []any{one, one})).Want(http.StatusOK)
	alice.Send("PUT", "/api/transaction", input(), "Idempotency-Key", "self").Want(http.StatusOK)
	alice.Send("PUT", "/api/transaction?for=self", input(), "Idempotency-Key", "self").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")

	page := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	made := func(fields map[string]string) string {
		fields["first_name"], fields["last_name"] = "Alice", "Archer"
		return strings.TrimPrefix(send(t, page, fields).Want(http.StatusSeeOther).Header.Get("Location"), "/verifications/")
	}
	if !sealed(made(map[string]string{"self": "yes"})).Self || sealed(made(map[string]string{})).Self {
		t.Error("the page says it of the wrong one")
	}
	has(t, send(t, page, map[string]string{"self": "yes"}).Want(http.StatusBadRequest), "For myself", " checked")
}
