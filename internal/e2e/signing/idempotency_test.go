package signing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

const sandboxKey = "SANDBOX_API_KEY=c2FuZGJveDprZXk="

// named returns a package with a unique name.
func named(t *testing.T) (name string, body map[string]any) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", " ")
	return name, map[string]any{"name": name}
}

// packagesNamed returns the number of packages of that name at the platform.
func packagesNamed(t *testing.T, app *e2etest.App, name string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.SandboxURL()+"/api/packages?search="+url.QueryEscape(name), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Basic c2FuZGJveDprZXk=")
	r := e2etest.Plain(t).Do(request).Want(http.StatusOK)
	count, ok := r.Member("count").(float64)
	if !ok {
		t.Fatalf("no count: %s", r.Body)
	}
	return int(count)
}

// replayed checks that r is the same answer as first.
func replayed(t *testing.T, first, r e2etest.Reply) {
	t.Helper()
	if r.Header.Get("Idempotency-Replayed") != "true" || r.Status != first.Status || !bytes.Equal(r.Body, first.Body) ||
		r.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		t.Errorf("%d %v %s, want again %d %s", r.Status, r.Header, r.Body, first.Status, first.Body)
	}
	if got := first.Header.Get("Idempotency-Replayed"); got != "" {
		t.Errorf("the first answer says that it is replayed: %q", got)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, sandboxKey)
	for name, test := range map[string]func(*testing.T, *e2etest.App, *e2etest.Client){
		"the first answer again": firstAnswerAgain,
		"keys":                   keysAreChecked,
		"refusals are kept":      refusalsAreKept,
		"failures are not kept":  failuresAreNotKept,
		"clones":                 clones,
	} {
		t.Run(name, func(t *testing.T) {
			e2etest.Manage(t, app, "DELETE", "/faults", nil)
			test(t, app, e2etest.Program(t, app).SignedIn("alice@sandbox"))
		})
	}
}

func firstAnswerAgain(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	name, body := named(t)
	first := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "first").Want(http.StatusOK)
	replayed(t, first, alice.Send("POST", "/api/packages", body, "Idempotency-Key", "first"))
	replayed(t, first, alice.Send("POST", "/api/packages/", body, "Idempotency-Key", "first"))
	replayed(t, first, e2etest.Program(t, app).SignedIn("alice@sandbox").Send("POST", "/api/packages", body, "Idempotency-Key", "first"))
	alice.Send("POST", "/api/packages", map[string]any{"name": name + "!"}, "Idempotency-Key", "first").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	alice.Send("POST", "/api/packages/"+first.Text("id")+"/clone", body, "Idempotency-Key", "first").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	if got := packagesNamed(t, app, name); got != 1 {
		t.Errorf("made %d times", got)
	}
	parts := []part{payload(`{"name":"Form","documents":[{"name":"Lease"}]}`), attached("lease.pdf", paper("lease"))}
	inForm := func(parts ...part) e2etest.Reply {
		return alice.Send("POST", "/api/packages", form(parts...), "Content-Type", formType, "Idempotency-Key", "form")
	}
	replayed(t, inForm(parts...).Want(http.StatusOK), inForm(parts[1], parts[0]))
	second := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "second").Want(http.StatusOK)
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox").Send("POST", "/api/packages", body, "Idempotency-Key", "first").Want(http.StatusOK)
	none := alice.Send("POST", "/api/packages", body).Want(http.StatusOK)
	ids := map[string]bool{first.Text("id"): true, second.Text("id"): true, bob.Text("id"): true, none.Text("id"): true}
	if len(ids) != 4 {
		t.Errorf("%d packages of 4 keys", len(ids))
	}
}

func keysAreChecked(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	name, body := named(t)
	payload, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for what, keys := range map[string][]string{
		"empty": {""}, "blank": {" "}, "long": {strings.Repeat("k", 256)}, "a space": {"a b"}, "a letter beyond ASCII": {"é"}, "two": {"a", "a"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL()+"/api/packages", bytes.NewReader(payload))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = alice.Header.Clone()
		request.Header.Set("Content-Type", "application/json")
		request.Header["Idempotency-Key"] = keys
		if r := alice.Do(request).Refused(http.StatusBadRequest, "request.invalid"); e2etest.Pointers(t, r) != "/Idempotency-Key" {
			t.Errorf("%s: %s", what, r.Body)
		}
	}
	if got := packagesNamed(t, app, name); got != 0 {
		t.Errorf("%d made", got)
	}
	alice.Send("POST", "/api/packages", body, "Idempotency-Key", strings.Repeat("~", 255)).Want(http.StatusOK)
}

func refusalsAreKept(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	name, body := named(t)
	refused := map[string]any{"name": name, "status": "LOST"}
	first := alice.Send("POST", "/api/packages", refused, "Idempotency-Key", "rules").Refused(http.StatusBadRequest, "request.invalid")
	replayed(t, first, alice.Send("POST", "/api/packages", refused, "Idempotency-Key", "rules"))
	alice.Send("POST", "/api/packages", body, "Idempotency-Key", "rules").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")

	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createPackage", "status": 400})
	first = alice.Send("POST", "/api/packages", body, "Idempotency-Key", "platform").Refused(http.StatusBadRequest, "signing.invalid")
	replayed(t, first, alice.Send("POST", "/api/packages", body, "Idempotency-Key", "platform"))
	if got := packagesNamed(t, app, name); got != 0 {
		t.Errorf("%d made", got)
	}
}

func failuresAreNotKept(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	name, body := named(t)
	for _, status := range []int{500, 503, 429, 401} {
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createPackage", "status": status})
		if r := alice.Send("POST", "/api/packages", body, "Idempotency-Key", "failures"); r.Status < 500 {
			t.Errorf("the platform's %d: %d %s", status, r.Status, r.Body)
		}
	}
	// The last error says that nothing was created: another request may use the key.
	// Before its 500 the platform may have created something, so that key stays taken.
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "createPackage", "status": 500})
	alice.Send("POST", "/api/packages", body, "Idempotency-Key", "unknown").Refused(http.StatusBadGateway, "platform.failed")
	other := map[string]any{"name": "Another"}
	alice.Send("POST", "/api/packages", other, "Idempotency-Key", "unknown").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	first := alice.Send("POST", "/api/packages", other, "Idempotency-Key", "failures").Want(http.StatusOK)
	replayed(t, first, alice.Send("POST", "/api/packages", other, "Idempotency-Key", "failures"))
	first = alice.Send("POST", "/api/packages", body, "Idempotency-Key", "failed").Want(http.StatusOK)
	replayed(t, first, alice.Send("POST", "/api/packages", body, "Idempotency-Key", "failed"))
	if got := packagesNamed(t, app, name); got != 1 {
		t.Errorf("made %d times", got)
	}
}

func TestIdempotencyWithLostAnswers(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, sandboxKey, "UPSTREAM_TIMEOUT=4s")
	for i, fault := range []e2etest.Fault{
		{"cut": 0}, {"cut": 3}, {"headers": map[string]string{"Content-Length": "1000"}}, {"delay": "20s"},
		{"status": 200, "body": "no JSON", "headers": map[string]string{"Content-Type": "application/json"}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
			name, body := named(t)
			fault["operation"] = "createPackage"
			e2etest.Manage(t, app, "POST", "/faults", fault)
			key := fmt.Sprint("lost-", i)
			if r := alice.Send("POST", "/api/packages", body, "Idempotency-Key", key); r.Status < 500 {
				t.Errorf("%d %s", r.Status, r.Body)
			}
			alice.Send("POST", "/api/packages", map[string]any{"name": name + "!"}, "Idempotency-Key", key).Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
			second := alice.Send("POST", "/api/packages", body, "Idempotency-Key", key).Want(http.StatusOK)
			third := alice.Send("POST", "/api/packages", body, "Idempotency-Key", key)
			if !bytes.Equal(second.Body, third.Body) || third.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s, then %s", second.Body, third.Body)
			}
			if got := packagesNamed(t, app, name); got != 1 {
				t.Errorf("made %d times", got)
			}
			alice.Send("GET", "/api/packages/"+second.Text("id"), nil).Want(http.StatusOK)
		})
	}
}

func clones(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	name, body := named(t)
	path := "/api/packages/" + alice.Send("POST", "/api/packages", map[string]any{"name": "Original"}).Want(http.StatusOK).Text("id") + "/clone"
	first := alice.Send("POST", path, body, "Idempotency-Key", "clone").Want(http.StatusOK)
	replayed(t, first, alice.Send("POST", path, body, "Idempotency-Key", "clone"))
	alice.Send("POST", path, nil, "Idempotency-Key", "clone").Refused(http.StatusUnprocessableEntity, "request.idempotency-mismatch")
	bare := alice.Send("POST", path, nil, "Idempotency-Key", "bare").Want(http.StatusOK)
	replayed(t, bare, alice.Send("POST", path, nil, "Idempotency-Key", "bare"))

	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "clonePackage", "cut": 0})
	lost := map[string]any{"name": name + " lost"}
	if r := alice.Send("POST", path, lost, "Idempotency-Key", "lost"); r.Status < 500 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	alice.Send("POST", path, lost, "Idempotency-Key", "lost").Want(http.StatusOK)
	if got := packagesNamed(t, app, name); got != 2 {
		t.Errorf("%d clones of 2", got)
	}
	// A clone of a package that was made under a key is another package.
	path = "/api/packages/" + first.Text("id") + "/clone"
	if again := alice.Send("POST", path, nil).Want(http.StatusOK); again.Text("id") == first.Text("id") {
		t.Error("the clone is its original")
	}
}
