package index_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/access"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// The index equals the platform after any order of events, heard of or not, and sweeps
// minutes apart.
func TestIndex_EqualsPlatform(t *testing.T) {
	p := startPlatform(t)
	client, empty := dbtest.Embedded(t).Client, dbtest.Embedded(t).Client
	rapid.Check(t, func(r *rapid.T) {
		redistest.Flush(t, client)
		redistest.Flush(t, empty)
		p.send("POST", "/_manage/reset", nil)
		at := &clock{}
		x := node(t, client, p, func(o *index.Options) { o.Sweep, o.Now = time.Nanosecond, at.now })
		if rapid.Bool().Draw(r, "built before") {
			if err := x.SweepNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var ids []string
		for range rapid.IntRange(1, 12).Draw(r, "events") {
			ids = happens(t, r, p, x, ids)
		}
		p.create(sent("Witness", "eve@sandbox")) // while the platform has nothing, nothing is dropped
		for range 3 {
			at.advance(3 * time.Minute)
			if err := x.SweepNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		truth := node(t, empty, p) // everything of the platform, read at once
		if err := truth.SweepNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, person := range []access.Person{alice, bob, {User: alice.User, Email: bob.Email}} {
			for _, q := range []index.Query{{}, {Folder: "trashed"}, {Folder: "SENT"}, {Folder: "drafts"}, {Mine: index.MineSigner}} {
				want := idsOf(t, truth, person, q)
				if got := idsOf(t, x, person, q); !slices.Equal(got, want) {
					r.Fatalf("%+v, %+v: %q, want %q", person, q, got, want)
				}
			}
		}
	})
}

// happens makes one random change at the platform, which Countersign hears of or not, and
// returns the packages that there are then.
func happens(t *testing.T, r *rapid.T, p platform, x *index.Index, ids []string) []string {
	id := ""
	what := rapid.SampledFrom([]string{"create", "create", "send", "trash", "restore", "sign up", "delete", "sweep"}).Draw(r, "what")
	if what == "sweep" {
		if err := x.SweepNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if what == "create" || len(ids) == 0 {
		made := sent("Loan", rapid.SampledFrom([]string{alice.User, bob.User, ""}).Draw(r, "owner"), rapid.SampledFrom([]string{bob.Email, "eve@corp.test"}).Draw(r, "signer"))
		made["status"] = rapid.SampledFrom([]string{"DRAFT", "SENT"}).Draw(r, "status")
		id = p.create(made)
		ids = append(ids, id)
	} else {
		id = rapid.SampledFrom(ids).Draw(r, "id")
		switch what {
		case "send":
			p.try("POST", path(id), object{"status": "SENT"})
		case "trash", "restore":
			p.try("POST", path(id), object{"trashed": what == "trash"})
		case "sign up":
			p.try("POST", path(id)+"/roles", sent("", "", alice.Email)["roles"].([]object)[0])
		case "delete":
			p.send("DELETE", path(id), nil)
			ids = slices.DeleteFunc(ids, func(one string) bool { return one == id })
		}
	}
	switch rapid.SampledFrom([]string{"unheard", "refresh", "callback", "look-up"}).Draw(r, "told by") {
	case "refresh":
		if err := x.Refresh(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	case "callback":
		if err := x.Callback(t.Context(), event("X", id)); err != nil {
			t.Fatal(err)
		}
	case "look-up":
		_, _ = x.Grant(t.Context(), bob, id, id)
	}
	return ids
}

// idsOf returns the ids on the person's list, sorted: packages of one second are in the
// order in which they were seen.
func idsOf(t *testing.T, x *index.Index, person access.Person, q index.Query) (ids []string) {
	t.Helper()
	for item, err := range x.Each(t.Context(), person, q) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(item.Package)+fmt.Sprintf("%+v", item.Grant))
	}
	slices.Sort(ids)
	return ids
}
