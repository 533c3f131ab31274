package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

func emptiedIsBuiltAnew(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	p.create(sent("Loan", alice.User, bob.Email))
	run(t, x)
	built(t, x)
	for range 2 {
		redistest.Flush(t, client)
		if _, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10}); err != nil && !fault.Is(err, fault.SigningIndexBuilding) {
			t.Errorf("a list from an emptied Redis: %v", err)
		}
		built(t, x)
		for _, person := range []access.Person{alice, bob} {
			if got := names(t, x, person, index.Query{}); got != "Loan" {
				t.Errorf("%s has %q", person.User, got)
			}
		}
	}
}

func vanishedGoes(t *testing.T, client redis.Cmdable) {
	p, at := startPlatform(t), &clock{}
	x := node(t, client, p, func(o *index.Options) { o.Sweep, o.Now = time.Nanosecond, at.now })
	sweeps := func() {
		t.Helper()
		for range 3 { // what is missing once may be on its way
			at.advance(3 * time.Minute)
			if err := x.SweepNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	shows := func(q index.Query, want string) {
		t.Helper()
		if got := names(t, x, alice, q); got != want {
			t.Errorf("%+v shows %q, want %q", q, got, want)
		}
	}
	first, second := p.create(sent("first", alice.User)), p.create(sent("second", alice.User))
	p.send("POST", path(second), object{"trashed": true})
	sweeps()
	shows(index.Query{}, "first")
	p.send("DELETE", path(first), nil)
	sweeps()
	shows(index.Query{}, "")
	shows(index.Query{Folder: "trashed"}, "second")
	p.send("DELETE", path(second), nil)
	p.create(sent("third", alice.User)) // while the platform has nothing, nothing is dropped
	sweeps()
	shows(index.Query{Folder: "trashed"}, "")
	p.send("POST", "/_manage/reset", nil)
	p.create(sent("fourth", alice.User))
	sweeps()
	shows(index.Query{}, "fourth")
}

// delayed is a platform whose answers come late: after runs between the platform's answer
// and its return to the caller.
type delayed struct {
	platform
	after func(id string)
}

func (d *delayed) Package(ctx context.Context, id string) (signing.Package, error) {
	got, err := d.platform.Package(ctx, id)
	if d.after != nil {
		d.after(id)
	}
	return got, err
}

func olderAnswerIsRefused(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	late, at := &delayed{platform: p}, &clock{}
	slow, fast := node(t, client, late, at.by), node(t, client, p, at.by)
	stop := run(t, fast)
	built(t, fast)
	stop()
	for what, overtake := range map[string]func(id string){
		"updated": func(id string) {
			p.send("POST", path(id), object{"name": "new"})
			if err := fast.Refresh(t.Context(), id); err != nil {
				t.Error(err)
			}
		},
		"deleted": func(id string) {
			p.send("DELETE", path(id), nil)
			if _, err := fast.NoteChange(t.Context(), id, true); err != nil {
				t.Error(err)
			}
		},
		"deleted, which two refreshes found": func(id string) {
			p.send("DELETE", path(id), nil)
			for range 2 {
				at.advance(3 * time.Minute)
				if err := fast.Refresh(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		for _, known := range []bool{true, false} {
			draft := sent("old", alice.User)
			draft["status"] = "DRAFT"
			id := p.create(draft)
			if known {
				if err := fast.Refresh(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			late.after = func(id string) { late.after = nil; overtake(id) }
			if err := slow.Refresh(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			want := ""
			if what == "updated" {
				want = "new"
			}
			if got := names(t, fast, alice, index.Query{}); got != want {
				t.Errorf("%s while an older answer was under way (known before: %v): %q, want %q", what, known, got, want)
			}
			if what == "updated" {
				p.send("DELETE", path(id), nil)
			}
			if _, err := fast.NoteChange(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func twoNodesAtOnce(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	nodes := []*index.Index{node(t, client, p), node(t, client, p)}
	for _, x := range nodes {
		run(t, x)
		built(t, x)
	}
	var ids []string
	for i := range 4 {
		draft := sent(fmt.Sprint("p", i), alice.User)
		draft["status"] = "DRAFT"
		ids = append(ids, p.create(draft))
	}
	var wg sync.WaitGroup
	for round := range 5 {
		for i, id := range ids {
			for n, x := range nodes {
				wg.Go(func() {
					p.send("POST", path(id), object{"description": fmt.Sprint(round, i, n)})
					if err := x.Refresh(t.Context(), id); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
	wg.Wait()
	for _, x := range nodes {
		inStep(t, x, p, ids, alice)
	}
	var g sync.WaitGroup
	for _, id := range ids { // one deletes, the other still writes
		g.Go(func() {
			p.send("DELETE", path(id), nil)
			if _, err := nodes[0].NoteChange(t.Context(), id, true); err != nil {
				t.Error(err)
			}
		})
		g.Go(func() {
			if err := nodes[1].Refresh(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	for _, x := range nodes {
		inStep(t, x, p, nil, alice)
		if stats, err := x.Stats(t.Context()); err != nil || stats.Packages != 0 {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

// inStep checks that the people's lists are exactly the platform's packages of ids.
func inStep(t testing.TB, x *index.Index, p platform, ids []string, people ...access.Person) {
	t.Helper()
	var want []string
	for _, id := range ids {
		got, err := p.Package(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, description(t, got.Raw()))
	}
	for _, person := range people {
		var got []string
		for item, err := range x.Each(t.Context(), person, index.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, description(t, item.Package))
		}
		slices.Sort(got) // packages of one second are in the order in which they were seen
		slices.Sort(want)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s has\n%s\nthe platform\n%s", person.User, got, want)
		}
	}
}

func visibility(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	both := sent("Loan", alice.User, bob.Email, "eve@corp.test")
	both["documents"] = []object{
		{"id": "for-all", "name": "for all", "base64Content": "JVBERi0xLjQ="}, {"id": "for-eve", "name": "for eve", "base64Content": "JVBERi0xLjQ="},
	}
	both["status"] = "DRAFT"
	id := p.create(both)
	p.send("POST", path(id)+"/documents/visibility", object{"configurations": []object{{"documentUid": "for-eve", "roleUids": []string{"eve"}}}})
	p.send("POST", path(id), object{"status": "SENT"})
	run(t, x)
	built(t, x)
	p.calls()
	eve := access.Person{User: "eve@sandbox", Email: "eve@corp.test"}
	for _, tt := range []struct {
		person   access.Person
		document string
		want     bool
	}{{bob, "for-all", true}, {bob, "for-eve", false}, {eve, "for-all", true}, {eve, "for-eve", true}, {alice, "for-eve", true}} {
		g, err := x.Grant(t.Context(), tt.person, "session", id)
		if err != nil || g.Sees(tt.document) != tt.want {
			t.Errorf("%s sees %s: %v, %v", tt.person.User, tt.document, g.Sees(tt.document), err)
		}
		page, err := x.List(t.Context(), tt.person, index.Query{From: 1, To: 1})
		if err != nil || len(page.Items) != 1 || page.Items[0].Grant.Sees(tt.document) != tt.want {
			t.Errorf("on the list of %s is %s: %+v, %v", tt.person.User, tt.document, page, err)
		}
	}
	if calls := p.calls(); len(calls) != 0 {
		t.Errorf("the platform was asked %v", calls)
	}
}
