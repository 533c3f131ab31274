package index_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// TestRedisBreaksInASweep takes Redis away at each command of the sweep that builds the
// index, carried out or not: no list is ever short, and the next sweep makes it whole.
func TestRedisBreaksInASweep(t *testing.T) {
	t.Parallel()
	b := breakable(t)
	const packages = 3
	for i := range packages {
		b.platform.create(sent(fmt.Sprint("Loan ", i), alice.User, bob.Email))
	}
	b.eachCommand(t, func() {
		redistest.EachKey(t, b.server.Client(), func(ctx context.Context, one *redis.Client, key string) { one.Del(ctx, key) })
	}, func(x *index.Index) error { return x.SweepNow(t.Context()) }, func(whole bool) {
		listed(t, b.plain(t), packages, whole)
		if err := b.plain(t).SweepNow(t.Context()); err != nil {
			t.Errorf("the next sweep: %v", err)
		}
		listed(t, b.plain(t), packages, true)
	})
}

// TestRedisBreaksUnderACallback takes Redis away at each command of working a callback
// off: it is not lost.
func TestRedisBreaksUnderACallback(t *testing.T) {
	t.Parallel()
	b := breakable(t)
	if err := b.plain(t).SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	packages := 0
	b.eachCommand(t, func() {
		packages++
		id := b.platform.create(sent("Loan", alice.User, bob.Email))
		if err := b.plain(t).Callback(t.Context(), event("PACKAGE_CREATE", id)); err != nil {
			t.Fatal(err)
		}
	}, func(x *index.Index) error { return x.WorkOffNow(t.Context()) }, func(done bool) {
		if !done {
			if err := b.plain(t).WorkOffNow(t.Context()); err != nil {
				t.Errorf("working it off again: %v", err)
			}
		}
		listed(t, b.plain(t), packages, true)
	})
}

// breaking is an index whose Redis can be taken away.
type breaking struct {
	server   *redistest.Server
	line     *e2etest.RedisLine
	client   redis.UniversalClient // through line
	platform platform
}

func breakable(t *testing.T) *breaking {
	t.Helper()
	b := &breaking{server: redistest.Start(t, "--appendonly", "no"), platform: startPlatform(t)}
	b.line = e2etest.NewRedisLine(t, b.server.Addr)
	b.line.CountsIndex = true
	b.client = accesstest.OpenRedis(t, redisdb.Options{URL: "redis://" + b.line.Addr().String()})
	return b
}

// plain is another node, whose Redis stays.
func (b *breaking) plain(t *testing.T) *index.Index {
	t.Helper()
	return node(t, b.server.Client(), b.platform)
}

// eachCommand has Redis go away after each number of commands of act, until it is
// through without: before is called ahead of each, and after says what must hold then,
// with whether act was carried out to its end.
func (b *breaking) eachCommand(t *testing.T, before func(), act func(x *index.Index) error, after func(done bool)) {
	t.Helper()
	for _, how := range []e2etest.Breakage{{}, {Arrives: true}} {
		for passed := 0; ; passed++ {
			before()
			x := node(t, b.client, b.platform)
			b.line.BreakAfter(passed, how)
			err := act(x)
			broken := b.line.Mend()
			switch {
			case err != nil && !broken:
				t.Fatalf("after %d commands, %+v: %v", passed, how, err)
			case err == nil && passed == 0:
				t.Error("nothing broke")
			case passed == 200:
				t.Fatal("it is never through")
			}
			after(err == nil)
			if !broken {
				break
			}
		}
	}
}

// listed checks that the lists of owner and signer name all packages, or say that the
// index is being built where it need not be whole yet.
func listed(t *testing.T, x *index.Index, packages int, whole bool) {
	t.Helper()
	for _, person := range []access.Person{alice, bob} {
		page, err := x.List(t.Context(), person, index.Query{From: 1, To: 100})
		switch {
		case fault.Is(err, fault.SigningIndexBuilding) && !whole:
		case err != nil:
			t.Errorf("%s: %v", person.User, err)
		case page.Count != packages || len(page.Items) != packages:
			t.Errorf("%s is shown %d of %d packages, there are %d", person.User, len(page.Items), page.Count, packages)
		}
	}
}
