package index_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal/sealtest"
	"countersign/internal/signing/index"
)

func keysRotate(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	old, next := accesstest.Key(1), accesstest.Key(2)
	with := func(keys ...[]byte) *index.Index {
		return node(t, client, p, func(o *index.Options) { o.Keys = sealtest.Keys(keys...) })
	}
	id := p.create(sent("Loan", alice.User, bob.Email))
	before := with(old)
	stop := run(t, before)
	built(t, before)
	stop()
	p.calls()
	check := func(what string, x *index.Index) {
		t.Helper()
		if got := names(t, x, alice, index.Query{}) + names(t, x, bob, index.Query{}); got != "LoanLoan" {
			t.Errorf("%s: the lists are %q", what, got)
		}
		if g, err := x.Grant(t.Context(), bob, "session", id); err != nil || g.Access != index.Signer {
			t.Errorf("%s: %+v, %v", what, g, err)
		}
		if calls := p.calls(); len(calls) != 0 {
			t.Errorf("%s: the platform was asked %v", what, calls)
		}
	}
	keys := sealtest.Keys(old)
	replaced := node(t, client, p, func(o *index.Options) { o.Keys = keys })
	check("before keys are replaced", replaced)
	for what, to := range map[string][][]byte{"the new key last": {old, next}, "the new key first": {next, old}} {
		if err := keys.Replace(to...); err != nil {
			t.Fatal(err)
		}
		check("replaced, "+what, replaced)
	}
	check("the new key last", with(old, next))
	check("the new key first", with(next, old))
	check("still the new key last, on another node", with(old, next))
	check("the new key alone", with(next))
	if err := keys.Replace(next); err != nil {
		t.Fatal(err)
	}
	check("replaced, the new key alone", replaced)
	check("the old key alone, on a node that is late", before)
	if _, err := with(accesstest.Key(3)).List(t.Context(), alice, index.Query{From: 1, To: 1}); !fault.Is(err, fault.SigningIndexBuilding) {
		t.Errorf("another key reads the index: %v", err)
	}
	check("after another key was tried", with(next))
}

func nothingIsReadable(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	id := p.create(sent("Secret loan", alice.User, bob.Email))
	stop := run(t, x)
	built(t, x)
	stop()
	denied(t, x, access.Person{User: "eve@sandbox", Email: "eve@corp.test"}, id)
	if err := x.Callback(t.Context(), event("PACKAGE_CREATE", id)); err != nil {
		t.Fatal(err)
	}
	names(t, x, access.Person{User: alice.User, Email: bob.Email}, index.Query{})
	seen := 0
	redistest.EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		seen++
		text := key + dump(ctx, t, node, key)
		for _, secret := range []string{id, alice.User, "alice", `"bob`, "bob@", "corp.test", "Secret", "loan", "SENT", "PACKAGE", "signer", "owner"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %q", key, secret)
			}
		}
	})
	if seen < 8 {
		t.Errorf("only %d keys were looked at", seen)
	}
}

// dump returns everything that a key holds.
func dump(ctx context.Context, t testing.TB, node redis.Cmdable, key string) string {
	t.Helper()
	switch kind := node.Type(ctx, key).Val(); kind {
	case "string":
		return node.Get(ctx, key).Val()
	case "hash":
		return fmt.Sprint(node.HGetAll(ctx, key).Val())
	case "zset":
		return fmt.Sprint(node.ZRange(ctx, key, 0, -1).Val())
	case "stream":
		text := ""
		for _, entry := range node.XRange(ctx, key, "-", "+").Val() {
			text += fmt.Sprint(entry.Values)
		}
		return text
	default:
		t.Errorf("%s is a %s", key, kind)
		return ""
	}
}
