package signing_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// Whatever the platform does when a page or its form is sent, the answer is a page in our
// words, with the person's input.
func faultsOfThePlatform(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	id := create(p.alice, lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example"))
	path := page(id)
	field := []string{"action", "save", "id", "iban", "value", "Typed <value>", "language", "en", "name", "Account"}
	recipient := []string{"r1.first_name", "Typed <value>", "r1.last_name", "Baker", "r1.email", "bob@sandbox.example", "r1.by_email", "yes"}
	for _, one := range []struct {
		operation string
		client    *e2etest.Client
		path      string
		form      []string
	}{
		{"getPackage", p.alice, path, nil},
		{"getPackage", p.alice, path + "?ask=cancel", nil},
		{"getPackage", p.alice, path + "/recipients/bob", nil},
		{"getAudit", p.alice, path + "/audit", nil},
		{"createSignerToken", p.bob, path + "/sign", nil},
		{"listCustomFields", p.carol, "/custom-fields", nil},
		{"listCustomFields", p.carol, "/custom-fields?new=yes", nil},
		{"getPackage", p.alice, path, []string{"action", "cancel", "reason", "Typed <value>"}},
		{"updatePackage", p.alice, path, []string{"action", "cancel", "reason", "Typed <value>"}},
		{"notifyRole", p.alice, path, []string{"action", "remind"}},
		{"clonePackage", p.alice, path, []string{"action", "copy"}},
		{"getPackage", p.alice, path + "/recipients/bob", recipient},
		{"updateRole", p.alice, path + "/recipients/bob", recipient},
		{"getCustomField", p.carol, "/custom-fields", field},
		{"createCustomField", p.carol, "/custom-fields", field},
		{"listCustomFields", p.carol, "/custom-fields", append([]string{"action", "add-translation"}, field[2:]...)},
	} {
		for _, fault := range platformFaults() {
			if fault["status"] == 200 && (one.operation == "notifyRole" || one.operation == "createCustomField" || strings.HasPrefix(one.operation, "update")) {
				continue // their answers contain nothing that is needed
			}
			fault["operation"], fault["times"] = one.operation, 0
			e2etest.Manage(t, app, "POST", "/faults", fault)
			r := visit(one.client, one.path, one.form)
			e2etest.Manage(t, app, "DELETE", "/faults", nil)
			if r.Status < 500 || strings.Contains(string(r.Body), "upstream secret") {
				t.Errorf("%s with %v: %s is answered %d: %s", one.operation, fault, r.What, r.Status, r.Body)
			}
			has(t, r, "<h1", "</html>", "Request ID")
			if len(one.form) > 2 {
				has(t, r, "Typed &lt;value&gt;")
			}
		}
	}
	has(t, p.alice.Page(path).Want(http.StatusOK), "Bob Signer", ">Sent<") // nothing of it happened
}

// platformFaults returns ways in which the platform fails.
func platformFaults() []object {
	return []object{
		{"status": 503, "body": "<html>upstream secret</html>"},
		{"status": 200, "body": `{"upstream secret"`},
	}
}

// visit opens a page, or sends its form.
func visit(c *e2etest.Client, path string, form []string) e2etest.Reply {
	if form == nil {
		return c.Page(path)
	}
	return c.Post(path, form...)
}

// While the index is being built, the list says so with a retry time, and every other
// page works as usual.
func TestPages_IndexBeingBuilt(t *testing.T) {
	server := redistest.Start(t)
	app := e2etest.BootPatiently(t, "REDIS_URL="+server.URL(), "ACCESS_KEYS="+strings.Repeat("01", 31)+"02", "SESSION_KEYS="+strings.Repeat("03", 31)+"04")
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	indexed(alice)
	id := create(alice, lease("Lease", "SENT", "alice@sandbox.example"))
	e2etest.Manage(t, app, "POST", "/faults", object{"operation": "listPackages", "times": 0, "status": 403})
	redistest.EachKey(t, server.Client(), func(ctx context.Context, node redis.Cmdable, key string) {
		if strings.HasPrefix(key, "cs:access:") {
			node.Del(ctx, key)
		}
	})
	for _, path := range []string{"/packages", "/packages?tab=done", "/packages?search=lease"} {
		r := alice.Page(path).Want(http.StatusServiceUnavailable)
		has(t, r, "Your package list is being prepared", ">Sign out<")
		if r.Header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to come back", path)
		}
	}
	lacks(t, alice.Page("/").Want(http.StatusOK), "waits for you to sign")
	has(t, alice.Page("/packages/"+url.PathEscape(id)).Want(http.StatusOK), "Sign now")
	alice.Page("/packages/new").Want(http.StatusOK)
	e2etest.Manage(t, app, "DELETE", "/faults", nil)
	indexed(alice)
	has(t, alice.Page("/packages").Want(http.StatusOK), "Lease")
}
