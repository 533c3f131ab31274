package signing_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

type object = map[string]any

const packages = "/api/packages"

// recipient returns a role of one signer.
func recipient(id, email string) object {
	name, _, _ := strings.Cut(email, "@")
	return object{"id": id, "signers": []object{{"email": email, "firstName": strings.ToUpper(name[:1]) + name[1:], "lastName": "Signer", "phone": "+49301234567"}}}
}

// create makes a package, and returns its id.
func create(c *e2etest.Client, p object) string {
	c.T.Helper()
	return c.Send("POST", packages, p).Want(http.StatusOK).Text("id")
}

// listing is an answer to a listing.
type listing struct {
	Count   int
	Results []object
	body    string
}

func (p listing) ids() []string {
	var ids []string
	for _, r := range p.Results {
		id, _ := r["id"].(string)
		ids = append(ids, id)
	}
	return ids
}

// list returns the person's list.
func list(c *e2etest.Client, query string) (p listing) {
	c.T.Helper()
	r := c.Send("GET", packages+"?"+query, nil).Want(http.StatusOK)
	if err := json.Unmarshal(r.Body, &p); err != nil {
		c.T.Fatal(err)
	}
	if strings.Contains(string(r.Body), "countersign") {
		c.T.Errorf("%s tells of data.countersign: %s", query, r.Body)
	}
	p.body = string(r.Body)
	return p
}

// indexed waits until the index is complete.
func indexed(c *e2etest.Client) {
	c.T.Helper()
	e2etest.Eventually(c.T, "the index is whole", func() bool {
		return c.Send("GET", packages, nil).Status == http.StatusOK
	})
}

// lists is the setup of the tests of the lists: the ids of packages, of which own is
// Bob's.
type lists struct {
	app                        *e2etest.App
	alice, bob, carol, zoe     *e2etest.Client
	draft, sent, template, own string
}

func TestLists_ByPerson(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "PUT", "/users/zoe@sandbox", object{"passKey": "Sandbox-1!", "email": "zoe@sandbox.example"})
	as := func(user string) *e2etest.Client { return e2etest.Program(t, app).SignedIn(user + "@sandbox") }
	l := lists{app: app, alice: as("alice"), bob: as("bob"), carol: as("carol"), zoe: as("zoe")}
	indexed(l.alice)
	l.draft = create(l.alice, object{"name": "Draft for Bob", "roles": []object{recipient("r1", "bob@sandbox.example")}})
	l.sent = create(l.alice, object{
		"name": "Sent to Bob", "status": "SENT", "data": object{"mine": "kept"},
		"roles": []object{recipient("r1", "Bob@Sandbox.example"), recipient("r2", "eve@elsewhere.example")},
	})
	l.template = create(l.alice, object{"name": "A template", "type": "TEMPLATE"})
	l.own = create(l.bob, object{"name": "Bob's own"})

	t.Run("operators see the account", l.operators)
	t.Run("owners see their own whole", l.owners)
	t.Run("signers see what was sent to them, reduced", l.signers)
	t.Run("others see nothing", l.others)
	t.Run("an own list does not ask the platform", l.withoutThePlatform)
}

func (l lists) operators(t *testing.T) {
	p := list(l.carol, "")
	if !slices.Equal(p.ids(), []string{l.own, l.sent, l.draft}) || p.Count != 3 {
		t.Errorf("%d: %v", p.Count, p.ids())
	}
	if p := list(l.carol, "ownerEmail=sandbox@sandbox.example"); p.Count != 3 {
		t.Errorf("by owner: %d", p.Count)
	}
	if p := list(l.carol, "ownerEmail=nobody@sandbox.example"); p.Count != 0 {
		t.Errorf("by another owner: %d", p.Count)
	}
	if p := list(l.carol, "mine=owner"); p.Count != 0 {
		t.Errorf("of her own: %d", p.Count)
	}
	if p := list(l.carol, "from=2&to=2"); p.Count != 3 || !slices.Equal(p.ids(), []string{l.sent}) {
		t.Errorf("the second one: %v", p.ids())
	}
}

func (l lists) owners(t *testing.T) {
	p := list(l.alice, "")
	if !slices.Equal(p.ids(), []string{l.sent, l.draft}) || p.Count != 2 {
		t.Errorf("%d: %v", p.Count, p.ids())
	}
	if !strings.Contains(p.body, "eve@elsewhere.example") || !strings.Contains(p.body, `"mine":"kept"`) {
		t.Errorf("not whole: %s", p.body)
	}
	if p := list(l.alice, "ownerEmail=nobody@sandbox.example&ownerUserId=x"); p.Count != 2 {
		t.Errorf("somebody else's: %d", p.Count)
	}
	if p := list(l.alice, "type=template"); !slices.Equal(p.ids(), []string{l.template}) {
		t.Errorf("templates: %v", p.ids())
	}
}

func (l lists) signers(t *testing.T) {
	p := list(l.bob, "mine=signer")
	if !slices.Equal(p.ids(), []string{l.sent}) || p.Count != 1 {
		t.Fatalf("%d: %v", p.Count, p.ids())
	}
	for _, secret := range []string{"eve@elsewhere", "sandbox@sandbox.example", "kept", "null,\"emailMessage\"", "challenges"} {
		if strings.Contains(p.body, secret) {
			t.Errorf("Bob is told %q: %s", secret, p.body)
		}
	}
	for _, own := range []string{"bob@sandbox.example", "Eve", "+49301234567"} {
		if !strings.Contains(p.body, own) {
			t.Errorf("Bob is not told %q", own)
		}
	}
	if got := list(l.bob, "mine=to-sign&search=sent+to"); !slices.Equal(got.ids(), []string{l.sent}) {
		t.Errorf("to sign: %v", got.ids())
	}
}

func (l lists) others(t *testing.T) {
	for _, query := range []string{"", "mine=signer", "search=Bob", "ownerEmail=sandbox@sandbox.example", "query=SENT", "from=1&to=0"} {
		if r := l.zoe.Send("GET", packages+"?"+query, nil).Want(http.StatusOK); string(r.Body) != `{"count":0,"results":[]}` {
			t.Errorf("%s: %s", query, r.Body)
		}
	}
}

func (l lists) withoutThePlatform(t *testing.T) {
	e2etest.Untouched(t, l.app, func() {
		list(l.alice, "search=Bob")
		list(l.bob, "")
		l.bob.Send("GET", packages+"/export?"+url.Values{"search": {"B"}}.Encode(), nil).Want(http.StatusOK)
	}, "listPackages", "getPackage")
}

// A package is on its recipients' lists as soon as it was sent, also where neither the call that
// made it nor the one that sent it names them: copies of packages and of templates.
func TestList_CopySentAtOnce(t *testing.T) {
	app := e2etest.Boot(t)
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	indexed(alice)
	for _, kind := range []string{"PACKAGE", "TEMPLATE"} {
		original := create(alice, object{"name": "Original", "type": kind, "roles": []object{recipient("bob", "bob@sandbox.example")}})
		copied := alice.Send("POST", packages+"/"+original+"/clone", object{"name": "Copy"}).Want(http.StatusOK).Text("id")
		if got := list(bob, "mine=signer").ids(); slices.Contains(got, copied) {
			t.Errorf("%s: before it was sent: %v", kind, got)
		}
		again := alice.Send("POST", packages+"/"+original+"/clone", object{"name": "Copy"}).Want(http.StatusOK).Text("id")
		for _, id := range []string{copied, again} {
			alice.Send("PUT", packages+"/"+id, object{"status": "SENT"}).Want(http.StatusOK)
			if got := list(bob, "mine=signer").ids(); !slices.Contains(got, id) {
				t.Errorf("%s: the copy %s is not in %v", kind, id, got)
			}
		}
	}
}
