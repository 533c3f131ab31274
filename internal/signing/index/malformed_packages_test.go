package index_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/access"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/signing/index"
)

// A number that no program can hold is no reason not to see whose a package has become.
func TestCorrect_HugeNumber(t *testing.T) {
	t.Parallel()
	p := &lying{packages: map[string]string{"p": of("p", "")}}
	x := node(t, dbtest.Embedded(t).Client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, err := x.Grant(t.Context(), bob, "s", "p")
	if err != nil {
		t.Fatal(err)
	}
	now := strings.Replace(of("p", `,"documents":[{"id":"d","pages":[{"width":1e999,"height":1}]}]`), bob.Email, "eve@corp.test", 1)
	p.say("p", now)
	if changed, err := x.Correct(t.Context(), "p", g, []byte(now), false); err != nil || !changed {
		t.Errorf("the index is not corrected: %v, %v", changed, err)
	}
	if g, err := x.Grant(t.Context(), bob, "s", "p"); err == nil {
		t.Errorf("bob has the access %v", g.Access)
	}
}

// A part of a listing in which nothing can be read ends no sweep.
func TestSweep_NothingReadable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000) // no id that a package can have
	x := node(t, dbtest.Embedded(t).Client, &lying{packages: map[string]string{long: of(long, "")}})
	if err := x.SweepNow(t.Context()); err != nil {
		t.Errorf("the sweep ends with %v", err)
	}
	if page, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10}); err != nil {
		t.Errorf("the list is %+v, %v", page, err)
	}
}

// A search that reads a long package at the platform tells nothing of it to a person who is no
// longer its signer.
func TestSearch_LongPackageOfOthers(t *testing.T) {
	t.Parallel()
	long := `,"documents":[{"id":"d"}],"description":"` + noise(64<<10) + ` %s"`
	p := &lying{packages: map[string]string{"p": of("p", fmt.Sprintf(long, "old"))}}
	x := node(t, dbtest.Embedded(t).Client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.say("p", strings.Replace(of("p", fmt.Sprintf(long, "confidential")), bob.Email, "eve@corp.test", 1))
	page, err := x.List(t.Context(), bob, index.Query{Search: "confidential", From: 1, To: 10})
	if err != nil || page.Count != 0 || len(page.Items) != 0 {
		t.Errorf("bob is told of %d packages, and shown %d: %v", page.Count, len(page.Items), err)
	}
}

// Of a member that is repeated the last one counts, and nothing of those before.
func TestSweep_RepeatedSender(t *testing.T) {
	t.Parallel()
	text := strings.Replace(of("p", `,"sender":{"email":"eve@corp.test"},"sender":{"firstName":"A"}`), alice.User, "x", 1)
	x := node(t, dbtest.Embedded(t).Client, &lying{packages: map[string]string{"p": text}})
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if g, err := x.Grant(t.Context(), access.Person{User: "eve", Email: "eve@corp.test"}, "s", "p"); err == nil {
		t.Errorf("eve has the access %v", g.Access)
	}
}
