package index_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/fault"
	"countersign/internal/verification/index"
)

// Keys rotate: what an older key sealed can be opened on nodes that have the older key
// first and on nodes that have it last. On a node without the older key, nobody is the
// starter.
func TestIndex_KeyRotation(t *testing.T) {
	p := newTransactions(t)
	older := p.node(accesstest.Key(1))
	if err := older.Upsert(t.Context(), p.starts(older, accesstest.Alice().User, tx(1))); err != nil {
		t.Fatal(err)
	}
	between, newer := p.node(accesstest.Key(1), accesstest.Key(2)), p.node(accesstest.Key(2), accesstest.Key(1))
	for name, x := range map[string]*index.Index{"older first": between, "newer first": newer} {
		if got := ownList(t, x, accesstest.Alice(), ""); !slices.Equal(got, []string{tx(1) + " new"}) {
			t.Errorf("%s: listed as %v", name, got)
		}
		if !granted(t, x, accesstest.Alice(), tx(1)).Starter || p.calls() != 0 {
			t.Errorf("%s: the starter is not known", name)
		}
	}
	made := p.starts(newer, accesstest.Alice().User, tx(2))
	if err := newer.Upsert(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if got := ownList(t, between, accesstest.Alice(), ""); len(got) != 2 {
		t.Errorf("the older nodes list %v", got)
	}
	p.client.FlushAll(t.Context()) // the index is lost; the platform still has the sealed opaque_ids
	last := p.node(accesstest.Key(2))
	if granted(t, last, accesstest.Alice(), tx(1)) != (index.Grant{}) || !granted(t, last, accesstest.Alice(), tx(2)).Starter {
		t.Error("without the older key what it sealed is opened, or what it did not is not")
	}
	if got := p.node(accesstest.Key(3), accesstest.Key(2), accesstest.Key(1)); !granted(t, got, accesstest.Alice(), tx(2)).Starter {
		t.Error("a key that is not the first opens nothing")
	}
}

// A lost index comes back id by id, when starters open their transactions and callbacks
// name them, and never makes anybody else the starter.
func TestIndex_RestoredAfterLoss(t *testing.T) {
	p := newTransactions(t)
	x, other := p.node(accesstest.Key(1)), p.node(accesstest.Key(1))
	for n := range 3 {
		if err := x.Upsert(t.Context(), p.starts(x, accesstest.Alice().User, tx(n))); err != nil {
			t.Fatal(err)
		}
	}
	p.client.FlushAll(t.Context())
	if got := ownList(t, x, accesstest.Alice(), ""); len(got) != 0 {
		t.Errorf("listed as %v", got)
	}
	if granted(t, x, accesstest.Bob(), tx(0)) != (index.Grant{}) || !granted(t, x, accesstest.Alice(), tx(0)).Starter {
		t.Error("who started it is not found out")
	}
	if err := other.Refresh(t.Context(), tx(1)); err != nil {
		t.Fatal(err)
	}
	for _, node := range []*index.Index{x, other} {
		if got := ownList(t, node, accesstest.Alice(), ""); len(got) != 2 {
			t.Errorf("listed as %v", got)
		}
		if got := ownList(t, node, accesstest.Carol(), ""); len(got) != 2 {
			t.Errorf("operators list %v", got)
		}
		if got := ownList(t, node, accesstest.Bob(), ""); len(got) != 0 {
			t.Errorf("an outsider lists %v", got)
		}
	}
}

// Concurrent writes do not lose each other, and a transaction that is over stays over,
// whichever answer comes last.
func TestIndex_ConcurrentWriters(t *testing.T) {
	p := newTransactions(t)
	nodes := []*index.Index{p.node(accesstest.Key(1)), p.node(accesstest.Key(1))}
	before := p.starts(nodes[0], accesstest.Alice().User, tx(1))
	p.become(tx(1), "completed")
	after, err := p.Transaction(t.Context(), tx(1))
	if err != nil {
		t.Fatal(err)
	}
	erasure := p.now().Add(time.Hour)
	if err := nodes[0].Upsert(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		x := nodes[i%2]
		for _, write := range []func() error{
			func() error { return x.Upsert(t.Context(), before) },
			func() error { return x.Upsert(t.Context(), after) },
			func() error { return x.Marked(t.Context(), tx(1), erasure) },
			func() error { return x.KeepTrail(t.Context(), tx(1), "/trail") },
			func() error { return x.Upsert(t.Context(), before) },
		} {
			wait.Go(func() {
				if err := write(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	item, ok, err := nodes[1].Item(t.Context(), tx(1))
	if err != nil || !ok || item.Status != "completed" || item.Result != "Passed" || item.ErasureAt == nil || !item.ErasureAt.Equal(erasure.Truncate(time.Millisecond)) {
		t.Errorf("it is %+v, %t, %v", item, ok, err)
	}
	if trail, underWay, err := nodes[0].Trail(t.Context(), tx(1)); trail != "/trail" || !underWay || err != nil {
		t.Errorf("its trail is %q, %v", trail, err)
	}
	for status, want := range map[string]int{"completed": 1, "new": 0, index.Underway: 0, index.Over: 1} {
		if got := ownList(t, nodes[0], accesstest.Alice(), status); len(got) != want {
			t.Errorf("%q lists %v", status, got)
		}
	}
}

// An erased transaction leaves every list on every node at its time, and an erasure that
// is taken back does not happen. A transaction that the platform no longer has leaves at
// the second 404, minutes after the first.
func TestErasure_TwoNodes(t *testing.T) {
	p := newTransactions(t)
	one, two := p.node(accesstest.Key(1)), p.node(accesstest.Key(1))
	for n := range 4 {
		if err := one.Upsert(t.Context(), p.starts(one, accesstest.Alice().User, tx(n))); err != nil {
			t.Fatal(err)
		}
	}
	mark := func(x *index.Index, n int, at time.Time) {
		t.Helper()
		if err := x.Marked(t.Context(), tx(n), at); err != nil {
			t.Fatal(err)
		}
	}
	mark(one, 0, p.now().Add(24*time.Hour))
	mark(one, 1, p.now().Add(24*time.Hour))
	mark(two, 1, p.now().Add(48*time.Hour)) // the last mark counts
	mark(two, 2, p.now().Add(24*time.Hour))
	mark(one, 2, time.Time{})
	mark(two, 3, p.now()) // at once
	p.advance(24*time.Hour - time.Second)
	if got := ownList(t, one, accesstest.Alice(), ""); len(got) != 3 {
		t.Errorf("before the day %v", got)
	}
	p.advance(time.Second)
	for _, x := range []*index.Index{two, one} {
		if got := ownList(t, x, accesstest.Alice(), ""); len(got) != 2 {
			t.Errorf("on the day %v", got)
		}
	}
	p.mu.Lock()
	delete(p.held, tx(1))
	delete(p.held, tx(0))
	p.mu.Unlock()
	if granted(t, one, accesstest.Alice(), tx(0)) != (index.Grant{}) {
		t.Error("what is erased has a starter")
	}
	for range 2 {
		if err := two.Refresh(t.Context(), tx(1)); err != nil {
			t.Fatal(err)
		}
		p.advance(2 * time.Minute)
	}
	for _, person := range []access.Person{accesstest.Alice(), accesstest.Carol()} {
		if got := ownList(t, one, person, ""); !slices.Equal(got, []string{tx(2) + " new"}) {
			t.Errorf("in the end %v", got)
		}
	}
}

// Each question of somebody who did not start a transaction costs one call and one of
// RATE_LOOKUP, whether or not the id exists. An operator and the starter cost none.
func TestLookUp_CostsOneCall(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	if err := x.Upsert(t.Context(), p.starts(x, accesstest.Alice().User, tx(1))); err != nil {
		t.Fatal(err)
	}
	var told []error
	for _, id := range []string{tx(1), tx(2), tx(1), tx(2)} {
		_, err := x.Grant(t.Context(), accesstest.Bob(), "session", id)
		told = append(told, err)
		if n := p.calls(); n != 1 || !fault.Is(err, fault.RequestNotFound) || err.Error() != told[0].Error() {
			t.Errorf("%s: the platform was asked %d times, and he is told %v", id, n, err)
		}
	}
	if !granted(t, x, accesstest.Alice(), tx(1)).Starter || !granted(t, x, accesstest.Carol(), tx(1)).Operator || p.calls() != 0 {
		t.Error("a person whom the index knows is looked up")
	}
}
