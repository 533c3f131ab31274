package index_test

import (
	"context"
	"fmt"
	"testing"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/fault"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/signing/index"
)

// Each question of a person whom the index does not let in costs one GET of the platform and
// one of RATE_LOOKUP, whether or not the index or the platform knows the id.
func TestLookUp_CostsOneGet(t *testing.T) {
	p := startPlatform(t)
	client := dbtest.Embedded(t).Client
	counted := 0
	x := node(t, client, p, func(o *index.Options) {
		o.Lookup = func(context.Context, string) error { counted++; return nil }
	})
	known := p.create(sent("Loan", alice.User, "eve@corp.test"))
	if err := x.Refresh(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	unindexed := p.create(sent("Loan", alice.User, "eve@corp.test"))
	var told []error
	for _, id := range []string{known, unindexed, "unknown"} {
		for turn := range 2 {
			p.calls()
			counted = 0
			_, err := x.Grant(t.Context(), bob, "session", id)
			told = append(told, err)
			if calls := fmt.Sprint(p.calls()); calls != "[getPackage]" || counted != 1 {
				t.Errorf("%s, turn %d: the platform was asked %s, counted %d times", id, turn, calls, counted)
			}
		}
	}
	for _, err := range told {
		if !fault.Is(err, fault.RequestNotFound) || err.Error() != told[0].Error() {
			t.Errorf("one is told %v, another %v", err, told[0])
		}
	}
}

// The platform is asked as often as RATE_LOOKUP allows a session, whether or not the ids
// are known; people whom the index knows never wait.
func TestLookUp_RateLimited(t *testing.T) {
	p := startPlatform(t)
	client := dbtest.Embedded(t).Client
	x := node(t, client, p, func(o *index.Options) { o.Lookup = accesstest.Lookups(t, client, "3/m") })
	id := p.create(sent("Loan", alice.User))
	if err := x.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		denied(t, x, bob, fmt.Sprint("unknown", i))
	}
	for _, asked := range []string{id, "unknown"} {
		_, err := x.Grant(t.Context(), bob, "session", asked)
		if !fault.Is(err, fault.RequestRate) || fault.From(err).RetryAfter <= 0 {
			t.Errorf("the fourth, %s: %v", asked, err)
		}
		if _, err := x.Grant(t.Context(), bob, "another session", asked); !fault.Is(err, fault.RequestNotFound) {
			t.Errorf("in another session, %s: %v", asked, err)
		}
	}
	if g, err := x.Grant(t.Context(), alice, "session", id); err != nil || g.Access != index.Owner {
		t.Errorf("the owner: %+v, %v", g, err)
	}
}

// A look-up lets in a person whom the platform knows, and the index knows them from then
// on.
func TestLookUp_AdmitsKnownUser(t *testing.T) {
	p := startPlatform(t)
	x := node(t, dbtest.Embedded(t).Client, p)
	for person, want := range map[access.Person]index.AccessLevel{alice: index.Owner, bob: index.Signer} {
		id := p.create(sent("Loan", alice.User, bob.Email))
		p.calls()
		for range 2 {
			if g, err := x.Grant(t.Context(), person, "session", id); err != nil || g.Access != want {
				t.Errorf("%s: %+v, %v", person.User, g, err)
			}
		}
		if calls := fmt.Sprint(p.calls()); calls != "[getPackage]" {
			t.Errorf("%s: the platform was asked %s", person.User, calls)
		}
	}
}

// A package's status and type decide who has which standing.
func TestStanding_ByStatusAndType(t *testing.T) {
	p := startPlatform(t)
	x := node(t, dbtest.Embedded(t).Client, p)
	with := func(name string, value any) object {
		out := sent("Loan", alice.User, "Bob@CORP.test")
		out[name] = value
		return out
	}
	trashed := p.create(sent("Loan", alice.User, bob.Email))
	p.send("POST", path(trashed), object{"trashed": true})
	for what, tt := range map[string]struct {
		id    string
		alice index.AccessLevel
		bob   index.AccessLevel
	}{
		"sent":             {p.create(sent("Loan", alice.User, "Bob@CORP.test")), index.Owner, index.Signer},
		"a draft":          {p.create(with("status", "DRAFT")), index.Owner, index.NoAccess},
		"trashed":          {trashed, index.Owner, index.NoAccess},
		"another's":        {p.create(with("data", object{"countersign": object{"owner": "eve@sandbox"}})), index.NoAccess, index.Signer},
		"nobody's":         {p.create(with("data", object{"countersign": "alice@sandbox"})), index.NoAccess, index.Signer},
		"no data":          {p.create(with("data", nil)), index.NoAccess, index.Signer},
		"an owner's email": {p.create(with("data", object{"countersign": object{"owner": "alice@corp.test"}})), index.NoAccess, index.Signer},
	} {
		for person, want := range map[access.Person]index.AccessLevel{
			alice: tt.alice, bob: tt.bob, {User: bob.User}: index.NoAccess, {User: "", Email: ""}: index.NoAccess,
			{User: alice.User}: tt.alice, {User: "bob@corp.test", Email: "x" + bob.Email}: index.NoAccess,
		} {
			g, err := x.Grant(t.Context(), person, fmt.Sprint(what, person), tt.id)
			if g.Access != want || (err == nil) != (want != index.NoAccess) {
				t.Errorf("%s, %+v: %+v, %v", what, person, g, err)
			}
		}
	}
	template := with("status", "DRAFT")
	template["type"] = "TEMPLATE"
	denied(t, x, bob, p.create(template))
}
