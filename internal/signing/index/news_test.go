package index_test

import (
	"testing"

	"countersign/internal/access"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/signing/index"
)

// What ends is told once to its people, by every node, until they have seen it. What was
// over when the index was built is not told.
func TestNews_ToldOnce(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	old := p.create(sent("Old", alice.User, bob.Email))
	p.send("PUT", path(old), object{"status": "DECLINED", "messages": []object{{"content": "No."}}})
	x, other := node(t, client, p), node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	told(t, x, bob, 0)
	id := p.create(sent("Lease", alice.User, bob.Email))
	refresh(t, x, id)
	told(t, x, bob, 0)
	p.send("PUT", path(id), object{"status": "DECLINED", "messages": []object{{"content": "No."}}})
	refresh(t, x, id)
	refresh(t, other, id)
	for _, person := range []access.Person{alice, bob} {
		told(t, other, person, 1)
	}
	told(t, other, carol, 0)
	seen, err := other.News(t.Context(), bob)
	if err == nil {
		err = other.MarkSeen(t.Context(), seen)
	}
	if err != nil {
		t.Fatal(err)
	}
	refresh(t, x, id)
	told(t, x, bob, 0)
	told(t, x, alice, 1)
}

// Who opens a tab forgets what they were shown, and nothing that came since.
func TestNews_UnshownStay(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	decline := func(name string) {
		id := p.create(sent(name, alice.User, bob.Email))
		refresh(t, x, id)
		p.send("PUT", path(id), object{"status": "DECLINED", "messages": []object{{"content": "No."}}})
		refresh(t, x, id)
	}
	decline("Lease")
	shown, err := x.News(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	decline("Another")
	if err := x.MarkSeen(t.Context(), shown); err != nil {
		t.Fatal(err)
	}
	told(t, x, alice, 1)
}

func refresh(t *testing.T, x *index.Index, id string) {
	t.Helper()
	if err := x.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// told fails the test unless the person's news have so many packages that ended.
func told(t *testing.T, x *index.Index, person access.Person, want int) {
	t.Helper()
	n, err := x.News(t.Context(), person)
	if err != nil || len(n.Over) != want {
		t.Errorf("%s is told of %d packages, not %d: %v", person.User, len(n.Over), want, err)
	}
}
