package access_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// run has x keep itself in step until the test ends.
func run(t testing.TB, x *access.Index) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); x.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// built waits until x answers lists.
func built(t testing.TB, x *access.Index) {
	t.Helper()
	redistest.Eventually(t, "the index is whole", func() bool {
		_, err := x.List(t.Context(), alice, access.Query{From: 1, To: 1})
		if err != nil && !fault.Is(err, fault.SigningIndexBuilding) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// names are the names of a person's packages, in the order of the list.
func names(t testing.TB, x *access.Index, person access.Person, q access.Query) string {
	t.Helper()
	if q.From == 0 {
		q.From, q.To = 1, 100
	}
	page, err := x.List(t.Context(), person, q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range page.Items {
		var p struct{ Name string }
		if err := json.Unmarshal(item.Package, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p.Name)
	}
	if q.From == 1 && q.To >= 100 && page.Count != len(out) {
		t.Errorf("count %d, %d packages", page.Count, len(out))
	}
	return strings.Join(out, " ")
}

func lists(t *testing.T, client redis.UniversalClient) {
	p := startPlatform(t)
	x := node(t, client, p)
	p.create(sent("first", alice.User, bob.Email))
	p.create(sent("second", "", bob.Email))
	draft := sent("draft", alice.User, bob.Email)
	draft["status"] = "DRAFT"
	p.create(draft)
	p.create(sent("others", "eve@sandbox", "eve@corp.test"))
	trashed := p.create(sent("trashed", alice.User, bob.Email))
	p.send("POST", path(trashed), object{"trashed": true})
	p.create(object{"name": "template", "type": "TEMPLATE", "data": object{"countersign": object{"owner": alice.User}}})
	if _, err := x.List(t.Context(), alice, access.Query{From: 1, To: 10}); !fault.Is(err, fault.SigningIndexBuilding) {
		t.Errorf("a list before the index is whole: %v", err)
	}
	run(t, x)
	built(t, x)
	p.calls()
	both := access.Person{User: alice.User, Email: bob.Email}
	for _, tt := range []struct {
		person access.Person
		query  access.Query
		want   string
	}{
		{alice, access.Query{}, "draft first"},
		{alice, access.Query{Ascending: true}, "first draft"},
		{bob, access.Query{}, "second first"},
		{both, access.Query{}, "draft second first"},
		{both, access.Query{Mine: access.MineOwner}, "draft first"},
		{both, access.Query{Mine: access.MineSigner}, "second first"},
		{both, access.Query{Mine: access.MineToSign}, "second first"},
		{both, access.Query{Mine: access.MineUnderway}, "first"},
		{bob, access.Query{Mine: access.MineUnderway}, ""},
		{both, access.Query{Statuses: []string{"DRAFT"}}, "draft"},
		{both, access.Query{Statuses: []string{"DRAFT", "SENT"}, Mine: access.MineOwner}, "draft first"},
		{bob, access.Query{Statuses: []string{"SENT"}, Search: "ir"}, "first"},
		{both, access.Query{Mine: access.MineUnderway, Search: "second"}, ""},
		{both, access.Query{Folder: "SENT"}, "second first"},
		{both, access.Query{Folder: "drafts"}, "draft"},
		{both, access.Query{Folder: "inbox"}, "second first"},
		{both, access.Query{Folder: "trashed"}, "trashed"},
		{bob, access.Query{Folder: "trashed"}, ""},
		{bob, access.Query{Folder: "DRAFT"}, ""},
		{both, access.Query{Type: "TEMPLATE"}, "template"},
		{both, access.Query{Sort: "name"}, "second first draft"},
		{both, access.Query{Sort: "name", Ascending: true}, "draft first second"},
		{both, access.Query{Search: "EC"}, "second"},
		{both, access.Query{Search: "first", SearchType: "exact"}, "first"},
		{both, access.Query{Predefined: "completed"}, ""},
		{both, access.Query{Predefined: "awaitingSignature"}, "second first"},
		{both, access.Query{Predefined: "awaitingSignature", Folder: "drafts"}, ""},
		{bob, access.Query{Mine: access.MineToSign, Predefined: "sent"}, "second first"},
		{both, access.Query{From: 2, To: 2}, "second"},
		{both, access.Query{From: 7, To: 9}, ""},
		{both, access.Query{From: 2, To: 2, Sort: "name"}, "first"},
		{access.Person{User: "bob@sandbox"}, access.Query{}, ""},
		{access.Person{User: "bob@sandbox"}, access.Query{Mine: access.MineSigner}, ""},
	} {
		if got := names(t, x, tt.person, tt.query); got != tt.want {
			t.Errorf("%+v, %+v: %q, want %q", tt.person, tt.query, got, tt.want)
		}
	}
	if calls := p.calls(); len(calls) > 0 && slices.Contains(calls, "getPackage") {
		t.Errorf("the platform was asked %v for lists", calls)
	}
}
