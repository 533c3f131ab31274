package index_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// TestSweep_RedisBreaks takes Redis away at each command of the sweep that builds the
// index, carried out or not: no list is ever short, and the next sweep completes the
// index.
func TestSweep_RedisBreaks(t *testing.T) {
	t.Parallel()
	b := breakable(t)
	const packages = 3
	for i := range packages {
		b.platform.create(sent(fmt.Sprint("Loan ", i), alice.User, bob.Email))
	}
	b.eachCommand(t, func() {
		redistest.EachKey(t, b.server.Client(), func(ctx context.Context, one redis.Cmdable, key string) { one.Del(ctx, key) })
	}, func(x *index.Index) error { return x.SweepNow(t.Context()) }, func(whole bool) {
		listed(t, b.plain(t), packages, whole)
		if err := b.plain(t).SweepNow(t.Context()); err != nil {
			t.Errorf("the next sweep: %v", err)
		}
		listed(t, b.plain(t), packages, true)
	})
}

// TestCallback_RedisBreaks takes Redis away at each command of processing a
// callback: the callback is not lost.
func TestCallback_RedisBreaks(t *testing.T) {
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
	}, func(x *index.Index) error { return x.ProcessCallbacksNow(t.Context()) }, func(done bool) {
		if !done {
			if err := b.plain(t).ProcessCallbacksNow(t.Context()); err != nil {
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
	client   redis.Cmdable // through line
	platform platform
}

func breakable(t *testing.T) *breaking {
	t.Helper()
	b := &breaking{server: redistest.Start(t, "--appendonly", "no"), platform: startPlatform(t)}
	b.line = e2etest.NewRedisLine(t, b.server.Addr)
	b.line.CountsIndex = true
	b.client = dbtest.Open(t, redisdb.Options{URL: "redis://" + b.line.Addr().String(), Timeout: dbtest.Patience}).Client
	return b
}

// plain returns another node, whose Redis stays.
func (b *breaking) plain(t *testing.T) *index.Index {
	t.Helper()
	return node(t, b.server.Client(), b.platform)
}

// eachCommand runs act with Redis going away after 0, 1, 2 … commands, until act ends
// without meeting that. before runs ahead of each act; after checks what must hold then,
// and is told whether act ended well.
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

// listed checks that the lists of owner and signer have all packages, or, unless the
// index must be built, that it is being built.
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
