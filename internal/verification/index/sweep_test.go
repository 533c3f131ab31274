package index_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/verification/index"
)

// One node of all asks about what may still change, once in a time; what is over is not
// asked about, and what the platform has lost leaves the lists.
func TestSweep_OneNodeAsks(t *testing.T) {
	p := newTransactions(t)
	nodes := []*index.Index{p.node(accesstest.Key(1)), p.node(accesstest.Key(1)), p.node(accesstest.Key(1))}
	for n, status := range []string{"completed", "cancelled", "workflow_in_progress"} {
		saw := p.starts(nodes[0], accesstest.Alice().User, tx(n))
		if err := nodes[0].Upsert(t.Context(), saw); err != nil {
			t.Fatal(err)
		}
		p.become(tx(n), status)
	}
	sweep := func() int {
		p.calls()
		var all sync.WaitGroup
		for _, node := range nodes {
			all.Go(func() {
				if _, err := node.Sweep(t.Context(), time.Minute, func(context.Context) {}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		return p.calls()
	}
	if n := sweep(); n != 3 {
		t.Errorf("the platform was asked %d times", n)
	}
	if got, want := ownList(t, nodes[1], accesstest.Alice(), index.Over), []string{tx(1) + " cancelled", tx(0) + " completed"}; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("what is over is listed as %v", got)
	}
	if got := ownList(t, nodes[1], accesstest.Alice(), index.Underway); !slices.Equal(got, []string{tx(2) + " workflow_in_progress"}) {
		t.Errorf("what is under way is listed as %v", got)
	}
	if n := sweep(); n != 0 {
		t.Errorf("asked %d times too early", n)
	}
	p.advance(time.Minute)
	if n := sweep(); n != 1 {
		t.Errorf("asked %d times about one that may change", n)
	}
	p.lose(tx(2))
	for minute, want := range []int{1, 1, 0} { // it is dropped when it was missed twice, minutes apart
		p.advance(time.Minute)
		sweep()
		if got := ownList(t, nodes[0], accesstest.Alice(), index.Underway); len(got) != want {
			t.Errorf("after %d minutes, what is lost is listed as %v", minute+1, got)
		}
	}
}

// What is erased leaves its id and date for a day to those who had it in their list, without
// a record; what the platform loses otherwise leaves nothing.
func TestErasure_LeavesIDAndDate(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	for n := range 4 {
		if err := x.Upsert(t.Context(), p.starts(x, accesstest.Alice().User, tx(n))); err != nil {
			t.Fatal(err)
		}
	}
	begin := p.now()
	for n, at := range []time.Time{begin, begin.Add(time.Hour), begin.Add(2 * time.Hour)} {
		if err := x.Marked(t.Context(), tx(n), at); err != nil {
			t.Fatal(err)
		}
	}
	p.advance(86 * time.Minute)
	for range 2 { // erased sooner than was said, and lost
		for n := 2; n < 4; n++ {
			if err := x.Missing(t.Context(), tx(n)); err != nil {
				t.Fatal(err)
			}
		}
		p.advance(2 * time.Minute)
	}
	for _, who := range []access.Person{accesstest.Alice(), accesstest.Carol()} {
		erased, err := x.ErasedChecks(t.Context(), who)
		if err != nil || len(erased) != 3 || erased[0].ID != tx(2) || erased[1].ID != tx(1) || erased[2].ID != tx(0) ||
			!erased[1].At.Equal(begin.Add(time.Hour).Truncate(time.Millisecond)) {
			t.Errorf("%s: erased %v, %v", who.User, erased, err)
		}
	}
	if erased, err := x.ErasedChecks(t.Context(), accesstest.Bob()); err != nil || len(erased) != 0 {
		t.Errorf("an outsider sees %v, %v", erased, err)
	}
	if _, known, err := x.Item(t.Context(), tx(1)); err != nil || known {
		t.Errorf("a record outlives its erasure: %v", err)
	}
	p.advance(23 * time.Hour)
	if erased, err := x.ErasedChecks(t.Context(), accesstest.Alice()); err != nil || len(erased) != 2 {
		t.Errorf("after a day: %v, %v", erased, err)
	}
}

// The name of the person comes from the platform's answer and goes with the record.
func TestRecord_NameOfPerson(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	p.starts(x, accesstest.Alice().User, tx(1))
	p.name(tx(1), "Vera", "Verified")
	if err := x.Refresh(t.Context(), tx(1)); err != nil {
		t.Fatal(err)
	}
	if item, _, err := x.Item(t.Context(), tx(1)); err != nil || item.Of != "Vera Verified" {
		t.Errorf("it is of %q, %v", item.Of, err)
	}
	for _, key := range p.client.Keys(t.Context(), "*records").Val() {
		for _, sealed := range p.client.HGetAll(t.Context(), key).Val() {
			if strings.Contains(sealed, "Vera") {
				t.Errorf("%s has the name unsealed", key)
			}
		}
	}
	if err := x.Marked(t.Context(), tx(1), p.now()); err != nil {
		t.Fatal(err)
	}
	if item, known, err := x.Item(t.Context(), tx(1)); err != nil || known {
		t.Errorf("after the erasure it is of %q, %v", item.Of, err)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
