package signing_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// ownList returns the ids on the person's list, or false while the index is being built.
func ownList(c *e2etest.Client) ([]string, bool) {
	c.T.Helper()
	r := c.Send("GET", "/api/packages?from=1&to=100", nil)
	if r.Status == http.StatusServiceUnavailable && r.Text("key") == "session.unavailable" { // a busy machine's Redis
		return nil, false
	}
	if r.Status == http.StatusServiceUnavailable {
		r.Refused(http.StatusServiceUnavailable, "signing.index-building")
		if r.Header.Get("Retry-After") == "" {
			c.T.Errorf("no Retry-After: %s", r.Body)
		}
		return nil, false
	}
	var listed struct {
		Count   int
		Results []struct{ ID string }
	}
	if err := json.Unmarshal(r.Want(http.StatusOK).Body, &listed); err != nil {
		c.T.Fatal(err)
	}
	ids := []string{}
	for _, p := range listed.Results {
		ids = append(ids, p.ID)
	}
	if listed.Count != len(ids) {
		c.T.Errorf("count %d of %q", listed.Count, ids)
	}
	return ids, true
}

// listsInTheEnd waits until the person's list is ids.
func listsInTheEnd(c *e2etest.Client, what string, ids ...string) {
	c.T.Helper()
	e2etest.Eventually(c.T, what, func() bool {
		got, whole := ownList(c)
		return whole && slices.Equal(got, ids)
	})
}

// sentTo returns a package that is sent to the signer with this address.
func sentTo(email string) map[string]any {
	return map[string]any{"name": "Loan", "status": "SENT", "roles": []any{map[string]any{
		"id": "signer", "signers": []any{map[string]any{"email": email, "firstName": "A", "lastName": "Signer"}},
	}}}
}

func TestPackageIndex_Updated(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "SIGNING_CALLBACK_KEY=callback-key")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	listsInTheEnd(alice, "an empty list")
	loan := sentTo("bob@sandbox.example")
	loan["data"] = map[string]any{"countersign": map[string]any{"owner": "alice@sandbox"}}
	id := e2etest.AtPlatform(t, app, "POST", "/api/packages", loan).Text("id")
	alice.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK) // after this the index knows it
	e2etest.Untouched(t, app, func() {
		for _, c := range []*e2etest.Client{alice, bob} {
			if got, _ := ownList(c); !slices.Equal(got, []string{id}) {
				t.Errorf("the list is %q", got)
			}
		}
	}, "getPackage", "getVisibility")
	t.Run("somebody else signs", func(t *testing.T) { passedOn(t, app, alice, bob) })
	t.Run("callbacks", func(t *testing.T) { callbacks(t, app, bob, id) })
}

// passedOn has the signing passed on at the platform, which has not told anybody yet: the
// former signer reads the package neither by JSON nor by page.
func passedOn(t *testing.T, app *e2etest.App, alice, bob *e2etest.Client) {
	loan := sentTo("bob@sandbox.example")
	loan["data"] = map[string]any{"countersign": map[string]any{"owner": "alice@sandbox"}}
	for _, read := range []func(id string) e2etest.Reply{
		func(id string) e2etest.Reply { return bob.Send("GET", "/api/packages/"+id, nil) },
		func(id string) e2etest.Reply { return bob.Page("/packages/" + id) },
	} {
		id := e2etest.AtPlatform(t, app, "POST", "/api/packages", loan).Text("id")
		read(id).Want(http.StatusOK)
		role := sentTo("eve@sandbox.example")["roles"].([]any)[0]
		e2etest.AtPlatform(t, app, "PUT", "/api/packages/"+id+"/roles/signer", role)
		if r := read(id); r.Status != http.StatusNotFound || strings.Contains(string(r.Body), "Loan") {
			t.Errorf("the former signer is answered %d: %s", r.Status, r.Body)
		}
		alice.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK)
		alice.Send("DELETE", "/api/packages/"+id, nil).Want(http.StatusOK)
	}
}

func callbacks(t *testing.T, app *e2etest.App, bob *e2etest.Client, before string) {
	other := e2etest.AtPlatform(t, app, "POST", "/api/packages", sentTo("bob@sandbox.example")).Text("id")
	platform := e2etest.Program(t, app)
	send := func(key, body string) e2etest.Reply {
		return platform.Send("POST", "/callbacks/signing", body, "Content-Type", "application/json", "Authorization", key)
	}
	event := `{"name":"PACKAGE_CREATE","sessionUser":"x","packageId":"` + other + `"}`
	const key = "Basic callback-key"
	send(key+"y", event).Refused(http.StatusUnauthorized, "session.required")
	send(key, `{"name":`).Refused(http.StatusBadRequest, "request.malformed")
	send(key, `{"name":"`+strings.Repeat("x", 64<<10)+`"}`).Want(http.StatusRequestEntityTooLarge)
	send(key, `{"name":"PACKAGE_CREATE","packageId":"unknown"}`).Want(http.StatusNoContent)
	if got, _ := ownList(bob); !slices.Equal(got, []string{before}) {
		t.Errorf("before the callback the list is %q", got)
	}
	if r := send(key, event).Want(http.StatusNoContent); len(r.Body) != 0 {
		t.Errorf("the answer is %s", r.Body)
	}
	listsInTheEnd(bob, "the callback's package", other, before)
	for _, line := range []string{"countersign_signing_index_built 1\n", "countersign_signing_index_packages 2\n", "countersign_signing_callbacks_waiting 0\n"} {
		e2etest.Eventually(t, "the metrics say "+line, func() bool { return e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, line) })
	}
}

// Reading a package below /api updates the index.
func TestRead_CorrectsIndex(t *testing.T) {
	t.Parallel()
	app, clock := e2etest.BootWithClock(t, "SIGNING_SWEEP=1h", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h")
	as := func(user string) *e2etest.Client { return e2etest.Program(t, app).SignedIn(user + "@sandbox") }
	alice, bob, carol := as("alice"), as("bob"), as("carol")
	indexed(alice)
	for _, reader := range []*e2etest.Client{alice, bob, carol} {
		id := create(alice, sentTo("bob@sandbox.example"))
		path := "/api/packages/" + id
		list(alice, "") // reads what was just made
		e2etest.AtPlatform(t, app, "POST", path+"/roles", map[string]any{"id": "other", "signers": []any{
			map[string]any{"email": "eve@elsewhere.example", "firstName": "Renewed", "lastName": "Signer"},
		}})
		if p := list(bob, "search=renewed"); p.Count != 0 {
			t.Errorf("before it was read: %s", p.body)
		}
		reader.Send("GET", path, nil).Want(http.StatusOK)
		for _, c := range []*e2etest.Client{alice, bob} {
			if p := list(c, "search=renewed"); !slices.Equal(p.ids(), []string{id}) {
				t.Errorf("after it was read: %s", p.body)
			}
		}
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		reader.Send("GET", path, nil).Want(http.StatusOK)
		if calls := e2etest.Journal(t, app); !slices.Equal(calls, []string{"getPackage"}) {
			t.Errorf("what is known already costs %v", calls)
		}
		e2etest.AtPlatform(t, app, "DELETE", path, nil)
		for _, listed := range []int{1, 0} { // it is dropped once it was missed twice, minutes apart
			clock.Advance(3 * time.Minute)
			reader.Send("GET", path, nil).Want(http.StatusNotFound)
			if got, _ := ownList(bob); len(got) != listed {
				t.Errorf("after it was found to have gone: %v, want %d", got, listed)
			}
		}
	}
}
