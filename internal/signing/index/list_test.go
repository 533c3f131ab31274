package index_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// run runs x until the test ends.
func run(t testing.TB, x *index.Index) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); x.Run(ctx, index.Nobody{}) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// built waits until x answers lists.
func built(t testing.TB, x *index.Index) {
	t.Helper()
	redistest.Eventually(t, "the index is whole", func() bool {
		_, err := x.List(t.Context(), alice, index.Query{From: 1, To: 1})
		if err != nil && !fault.Is(err, fault.SigningIndexBuilding) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// names returns the names of a person's packages, in the order of the list.
func names(t testing.TB, x *index.Index, person access.Person, q index.Query) string {
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

func lists(t *testing.T, client redis.Cmdable) {
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
	if _, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10}); !fault.Is(err, fault.SigningIndexBuilding) {
		t.Errorf("a list before the index is whole: %v", err)
	}
	run(t, x)
	built(t, x)
	p.calls()
	both := access.Person{User: alice.User, Email: bob.Email}
	for _, tt := range []struct {
		person access.Person
		query  index.Query
		want   string
	}{
		{alice, index.Query{}, "draft first"},
		{alice, index.Query{Ascending: true}, "first draft"},
		{bob, index.Query{}, "second first"},
		{both, index.Query{}, "draft second first"},
		{both, index.Query{Mine: index.MineOwner}, "draft first"},
		{both, index.Query{Mine: index.MineSigner}, "second first"},
		{both, index.Query{Mine: index.MineToSign}, "second first"},
		{both, index.Query{Mine: index.MineUnderway}, "first"},
		{bob, index.Query{Mine: index.MineUnderway}, ""},
		{both, index.Query{Statuses: []string{"DRAFT"}}, "draft"},
		{both, index.Query{Statuses: []string{"DRAFT", "SENT"}, Mine: index.MineOwner}, "draft first"},
		{bob, index.Query{Statuses: []string{"SENT"}, Search: "ir"}, "first"},
		{both, index.Query{Mine: index.MineUnderway, Search: "second"}, ""},
		{both, index.Query{Folder: "SENT"}, "second first"},
		{both, index.Query{Folder: "drafts"}, "draft"},
		{both, index.Query{Folder: "inbox"}, "second first"},
		{both, index.Query{Folder: "trashed"}, "trashed"},
		{bob, index.Query{Folder: "trashed"}, ""},
		{bob, index.Query{Folder: "DRAFT"}, ""},
		{both, index.Query{Type: "TEMPLATE"}, "template"},
		{both, index.Query{Sort: "name"}, "second first draft"},
		{both, index.Query{Sort: "name", Ascending: true}, "draft first second"},
		{both, index.Query{Search: "EC"}, "second"},
		{both, index.Query{Search: "\uff33EC\u00a0"}, "second"}, {both, index.Query{Search: " \uff26irst ", SearchType: "exactname"}, "first"},
		{both, index.Query{Search: "first", SearchType: "exact"}, "first"},
		{both, index.Query{Predefined: "completed"}, ""},
		{both, index.Query{Predefined: "awaitingSignature"}, "second first"},
		{both, index.Query{Predefined: "awaitingSignature", Folder: "drafts"}, ""},
		{bob, index.Query{Mine: index.MineToSign, Predefined: "sent"}, "second first"},
		{both, index.Query{From: 2, To: 2}, "second"},
		{both, index.Query{From: 7, To: 9}, ""},
		{both, index.Query{From: 2, To: 2, Sort: "name"}, "first"},
		{access.Person{User: "bob@sandbox"}, index.Query{}, ""},
		{access.Person{User: "bob@sandbox"}, index.Query{Mine: index.MineSigner}, ""},
	} {
		if got := names(t, x, tt.person, tt.query); got != tt.want {
			t.Errorf("%+v, %+v: %q, want %q", tt.person, tt.query, got, tt.want)
		}
	}
	if calls := p.calls(); len(calls) > 0 && slices.Contains(calls, "getPackage") {
		t.Errorf("the platform was asked %v for lists", calls)
	}
}
