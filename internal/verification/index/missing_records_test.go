package index_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/fault"
	"countersign/internal/verification/index"
)

// people have transactions: Alice 0 and 1, Bob 2 and 3; an operator lists all.
func (p *transactions) people(x *index.Index) {
	p.t.Helper()
	for n := range 4 {
		user := []access.Person{accesstest.Alice(), accesstest.Bob()}[n/2].User
		if err := x.Upsert(p.t.Context(), p.starts(x, user, tx(n))); err != nil {
			p.t.Fatal(err)
		}
	}
	p.advance(10 * time.Minute)
}

// everyway has each way by which the index reads the platform read every transaction.
func (p *transactions) everyway(x *index.Index) {
	p.t.Helper()
	for n := range 4 {
		for _, who := range []access.Person{accesstest.Alice(), accesstest.Bob(), accesstest.Carol(), {User: "eve@sandbox"}} {
			_, _ = x.Grant(p.t.Context(), who, "session "+who.User, tx(n))
		}
		_ = x.Refresh(p.t.Context(), tx(n)) // as a callback
	}
	_, _ = x.Sweep(p.t.Context(), time.Second, func(context.Context) {})
}

func (p *transactions) wantLists(x *index.Index, when string, alice, bob int) {
	p.t.Helper()
	for _, list := range []struct {
		of   access.Person
		want int
	}{{accesstest.Alice(), alice}, {accesstest.Bob(), bob}, {accesstest.Carol(), alice + bob}} {
		if got := ownList(p.t, x, list.of, ""); len(got) != list.want {
			p.t.Errorf("%s, %s lists %v, want %d", when, list.of.User, got, list.want)
		}
	}
}

// TestIndex_OutageDropsNothing keeps every list, whatever answers in the platform's place and
// however long: a page, another tenant, another service.
func TestIndex_OutageDropsNothing(t *testing.T) {
	for name, err := range map[string]error{
		"a gateway's page": fault.New(fault.PlatformFailed), "an outage": fault.New(fault.PlatformUnavailable),
		"another service": fault.New(fault.RequestNotFound),
	} {
		t.Run(name, func(t *testing.T) {
			p := newTransactions(t)
			x := p.node(accesstest.Key(1))
			p.people(x)
			p.fail(err)
			for minute := range 12 {
				p.everyway(x)
				p.advance(time.Minute)
				p.wantLists(x, fmt.Sprint("after ", minute, " minutes"), 2, 2)
			}
			p.fail(nil)
			p.everyway(x)
			p.wantLists(x, "once it is over", 2, 2)
		})
	}
}

// TestIndex_DropsAfterTwoMisses drops what the platform has missed twice, minutes apart.
func TestIndex_DropsAfterTwoMisses(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	p.people(x)
	p.lose(tx(1))
	p.everyway(x)
	p.everyway(x)
	p.wantLists(x, "at once", 2, 2)
	p.advance(time.Minute)
	p.everyway(x)
	p.wantLists(x, "after a minute", 2, 2)
	p.advance(time.Minute)
	p.everyway(x)
	p.wantLists(x, "after two", 1, 2)
	p.lose(tx(2))
	p.lose(tx(3))
	for range 2 {
		p.everyway(x)
		p.advance(3 * time.Minute)
	}
	p.wantLists(x, "when somebody has lost everything", 1, 0)
}

// TestIndex_SingleMissForgotten does not count a miss that the platform takes back, nor one of a
// day ago, nor one of a transaction that was just created.
func TestIndex_SingleMissForgotten(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	p.people(x)
	miss := func(n int) {
		t.Helper()
		if err := x.Missing(t.Context(), tx(n)); err != nil {
			t.Fatal(err)
		}
	}
	miss(0)
	p.everyway(x) // it is there again
	p.advance(5 * time.Minute)
	miss(0)
	p.wantLists(x, "missed, found and missed", 2, 2)
	p.advance(25 * time.Hour)
	miss(0)
	p.wantLists(x, "missed a day ago and now", 2, 2)
	if err := x.Upsert(t.Context(), p.starts(x, accesstest.Alice().User, tx(9))); err != nil {
		t.Fatal(err)
	}
	miss(9)
	p.advance(119 * time.Second)
	miss(9)
	p.wantLists(x, "just created", 3, 2)
	p.advance(time.Second)
	miss(9)
	p.advance(2 * time.Minute)
	p.wantLists(x, "not young any more", 3, 2)
	miss(9)
	p.wantLists(x, "missed twice", 2, 2)
}

// TestIndex_OutsidersDropNothing has somebody ask for ids that nobody has: that says nothing
// about the platform.
func TestIndex_OutsidersDropNothing(t *testing.T) {
	p := newTransactions(t)
	x := p.node(accesstest.Key(1))
	p.people(x)
	p.lose(tx(0))
	for range 2 {
		for n := 100; n < 110; n++ {
			granted(t, x, access.Person{User: "eve@sandbox"}, tx(n))
		}
		if err := x.Refresh(t.Context(), tx(0)); err != nil {
			t.Fatal(err)
		}
		p.advance(2 * time.Minute)
	}
	p.wantLists(x, "lost among outsiders' questions", 1, 2)
}
