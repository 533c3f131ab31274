package index_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

var eve = access.Person{User: "eve@sandbox", Email: "eve@corp.test"}

// A package that was changed and not read yet is judged as one that was read: the same access
// and the same lists, and no more look-ups, for everybody and in any order.
func TestWrote_JudgesAsARead(t *testing.T) {
	p := startPlatform(t)
	one, other := dbtest.Embedded(t).Client, dbtest.Embedded(t).Client
	rapid.Check(t, func(r *rapid.T) {
		redistest.Flush(t, one)
		redistest.Flush(t, other)
		p.send("POST", "/_manage/reset", nil)
		var readLooks, wroteLooks atomic.Int64
		counting := func(n *atomic.Int64) func(*index.Options) {
			return func(o *index.Options) {
				o.Lookup = func(context.Context, string) error { n.Add(1); return nil }
			}
		}
		read, wrote := node(t, one, p, counting(&readLooks)), node(t, other, p, counting(&wroteLooks))
		for _, x := range []*index.Index{read, wrote} {
			if err := x.SweepNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var ids []string
		for range rapid.IntRange(1, 10).Draw(r, "changes") {
			w := writes(r, p, &ids)
			if _, err := read.NoteChange(t.Context(), w.Package, false); err != nil {
				t.Fatal(err)
			}
			if _, err := wrote.RecordWrite(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(r, "read by Run") {
				if err := wrote.ProcessCallbacksNow(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			person := rapid.SampledFrom([]access.Person{alice, bob, carol, eve, {User: "nobody@sandbox"}}).Draw(r, "person")
			id := rapid.SampledFrom(ids).Draw(r, "asks for")
			var want, got string
			switch rapid.SampledFrom([]string{"access", "grant", "list", "signs", "nothing"}).Draw(r, "asks") {
			case "access":
				want, got = accessBy(read.AccessTo(t.Context(), nil, person, "session", id)), accessBy(wrote.AccessTo(t.Context(), nil, person, "session", id))
			case "grant":
				want, got = grantText(read.Grant(t.Context(), person, "session", id)), grantText(wrote.Grant(t.Context(), person, "session", id))
			case "list":
				want, got = fmt.Sprint(idsOf(t, read, person, index.Query{})), fmt.Sprint(idsOf(t, wrote, person, index.Query{}))
			case "signs":
				want, got = names(t, read, person, index.Query{Folder: "SENT", Mine: index.MineSigner}), names(t, wrote, person, index.Query{Folder: "SENT", Mine: index.MineSigner})
			}
			if got != want {
				r.Fatalf("%+v, %s: %s, want %s", person, id, got, want)
			}
			if got, want := wroteLooks.Load(), readLooks.Load(); got > want {
				r.Fatalf("%+v, %s: %d look-ups are counted, want %d at most", person, id, got, want)
			}
		}
	})
}

// writes makes one random change at the platform, as Countersign does for a person.
func writes(r *rapid.T, p platform, ids *[]string) index.PackageWrite {
	email := rapid.SampledFrom([]string{alice.Email, bob.Email, eve.Email, "Bob@Sandbox.example"}).Draw(r, "signer")
	by := rapid.SampledFrom([]access.Person{alice, bob}).Draw(r, "owner")
	status := rapid.SampledFrom([]string{"DRAFT", "SENT"}).Draw(r, "status")
	if len(*ids) == 0 || rapid.IntRange(0, 3).Draw(r, "makes") == 0 {
		made := sent("Loan", by.User, email)
		made["status"] = status
		id := p.create(made)
		*ids = append(*ids, id)
		return index.PackageWrite{Package: id, By: by, Made: true, Status: status, People: []string{email}}
	}
	id := rapid.SampledFrom(*ids).Draw(r, "changes")
	role := sent("", "", email)["roles"].([]object)[0]
	name, _ := role["id"].(string)
	switch rapid.SampledFrom([]string{"send", "trash", "add", "remove", "replace"}).Draw(r, "how") {
	case "send":
		p.try("PUT", path(id), object{"status": "SENT"})
	case "trash":
		p.try("PUT", path(id), object{"trashed": rapid.Bool().Draw(r, "trashed")})
	case "add":
		p.try("POST", path(id)+"/roles", role)
	case "remove":
		p.try("DELETE", path(id)+"/roles/"+name, nil)
	case "replace":
		p.try("PUT", path(id)+"/roles/"+name, sent("", "", eve.Email)["roles"].([]object)[0])
	}
	return index.PackageWrite{Package: id, By: by, People: []string{email, eve.Email}}
}

// accessBy is what a grant says of a person's access.
func accessBy(g index.Grant, err error) string {
	if err != nil {
		return string(fault.From(err).Key)
	}
	return fmt.Sprint(g.Access, g.Owner)
}

// grantText is all that a grant says.
func grantText(g index.Grant, err error) string {
	if err != nil {
		return string(fault.From(err).Key)
	}
	return fmt.Sprint(g.Access, g.Owner, g.Roles, g.Signers, g.Names, g.UnsharedRoles, g.Signable, g.Status, g.Updated, g.Sees("default-consent"))
}

// The platform is not asked before the answer, and once after it, however often the package was
// changed.
func TestWrote_AsksThePlatformLater(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := p.create(sent("Loan", alice.User, bob.Email))
	p.calls()
	for _, w := range []index.PackageWrite{{Package: id, By: alice, Made: true, Status: "SENT"}, {Package: id, By: alice}, {Package: id, By: alice}} {
		if owner, err := x.RecordWrite(t.Context(), w); err != nil || owner != alice.User {
			t.Errorf("it is %q's: %v", owner, err)
		}
	}
	if g, err := x.AccessTo(t.Context(), nil, alice, "session", id); err != nil || g.Access != index.Owner {
		t.Errorf("its owner: %+v, %v", g, err)
	}
	if calls := p.calls(); len(calls) != 0 {
		t.Errorf("the platform was asked %q", calls)
	}
	for range 2 {
		if err := x.ProcessCallbacksNow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if calls := p.calls(); !slices.Equal(calls, []string{"getPackage"}) {
		t.Errorf("the platform was asked %q, want to be asked for the package", calls)
	}
}

// The recipients of a draft have it on their lists as soon as it was sent, and as soon as it was
// taken out of the trash, although neither call names them.
func TestWrote_RecipientsNotNamed(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	draft := sent("Loan", alice.User, bob.Email)
	draft["status"] = "DRAFT"
	id := p.create(draft)
	for _, one := range []struct {
		change object
		want   string
	}{{object{"status": "SENT"}, "Loan"}, {object{"trashed": true}, ""}, {object{"trashed": false}, "Loan"}} {
		refresh(t, x, id)
		p.send("PUT", path(id), one.change)
		if _, err := x.RecordWrite(t.Context(), index.PackageWrite{Package: id, By: alice}); err != nil {
			t.Fatal(err)
		}
		if got := names(t, x, bob, index.Query{Folder: "SENT", Mine: index.MineSigner}); got != one.want {
			t.Errorf("after %v the recipient has %q, want %q", one.change, got, one.want)
		}
	}
}

// Where the platform cannot be asked, nobody but the owner has access by what was known before
// the change, and the owner's list shows what was known.
func TestWrote_PlatformAway(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := p.create(sent("Loan", alice.User, bob.Email))
	refresh(t, x, id)
	if _, err := x.RecordWrite(t.Context(), index.PackageWrite{Package: id, By: alice}); err != nil {
		t.Fatal(err)
	}
	p.send("POST", "/_manage/faults", object{"operation": "getPackage", "times": 20, "status": 503, "body": object{}})
	if g, err := x.Grant(t.Context(), bob, "session", id); err == nil {
		t.Errorf("a signer of before: %+v", g)
	}
	if page, err := x.List(t.Context(), bob, index.Query{From: 1, To: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("a signer of before is shown %+v, %v", page, err)
	}
	if got := names(t, x, alice, index.Query{}); got != "Loan" {
		t.Errorf("the owner is shown %q", got)
	}
	if g, err := x.AccessTo(t.Context(), nil, alice, "session", id); err != nil || g.Access != index.Owner {
		t.Errorf("the owner: %+v, %v", g, err)
	}
}

// A read that began before a change, and ended after it, is no longer judged by what was known
// before: whose grant it began with is asked for again.
func TestCorrect_ChangedMeanwhile(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := p.create(sent("Loan", alice.User, bob.Email))
	refresh(t, x, id)
	begun, err := x.Grant(t.Context(), bob, "session", id)
	if err != nil || begun.Access != index.Signer {
		t.Fatal(begun, err)
	}
	p.send("PUT", path(id)+"/roles/bob", sent("", "", eve.Email)["roles"].([]object)[0])
	if _, err := x.RecordWrite(t.Context(), index.PackageWrite{Package: id, By: alice, People: []string{eve.Email}}); err != nil {
		t.Fatal(err)
	}
	if changed, err := x.Correct(t.Context(), id, begun, p.send("GET", path(id), nil), false); err != nil || !changed {
		t.Errorf("a grant of before a change counts after it: %v", err)
	}
	if g, err := x.Grant(t.Context(), bob, "session", id); err == nil {
		t.Errorf("who was replaced is still %+v", g)
	}
}
