package index_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

func grants(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	id := p.create(sent("Loan", alice.User, "Bob@Corp.TEST"))
	if err := x.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	p.calls()
	outsider := access.Person{User: "eve@sandbox", Email: "eve@corp.test"}
	for _, tt := range []struct {
		name   string
		person access.Person
		want   index.AccessLevel
		roles  []string
	}{
		{"owner", alice, index.Owner, nil},
		{"signer", bob, index.Signer, []string{"bob"}},
		{"operator", carol, index.Operator, nil},
		{"an operator who signs", access.Person{User: "dan@sandbox", Email: bob.Email, Operator: true}, index.Operator, []string{"bob"}},
		{"the owner, who signs", access.Person{User: alice.User, Email: bob.Email}, index.Owner, []string{"bob"}},
		{"sender", access.Person{User: "x@sandbox", Email: "sandbox@sandbox.example"}, index.Owner, nil},
	} {
		g, err := x.Grant(t.Context(), tt.person, "session", id)
		if err != nil || g.Access != tt.want || tt.roles != nil && (!slices.Equal(g.Roles, tt.roles) || !slices.Equal(g.Signers, tt.roles)) || g.Status != "SENT" {
			t.Errorf("%s: %+v, %v", tt.name, g, err)
		}
	}
	if calls := p.calls(); len(calls) != 0 {
		t.Errorf("the platform was asked %v for whom the index knows", calls)
	}
	for _, person := range []access.Person{outsider, {User: "bob@sandbox"}, {User: "ALICE@sandbox"}, {}} {
		for _, unknown := range []string{id, "unknown"} {
			g, err := x.Grant(t.Context(), person, "session", unknown)
			if !fault.Is(err, fault.RequestNotFound) || g.Access != index.NoAccess || g.Status != "" {
				t.Errorf("%+v, %s: %+v, %v", person, unknown, g, err)
			}
			if calls := strings.Join(p.calls(), " "); calls != "getPackage" {
				t.Errorf("%+v, %s: the platform was asked %q, want one getPackage", person, unknown, calls)
			}
		}
	}
}

// A grant is decided by the record that was read with the session, without another question to
// Redis; what was not sent, or not answered, decides nothing.
func grantsByWhatWasRead(t *testing.T, client redis.Cmdable) {
	p := startPlatform(t)
	x := node(t, client, p)
	id := p.create(sent("Loan", alice.User, bob.Email))
	if read := x.Read(t.Context(), id); read != nil || read.Commands() != nil {
		t.Errorf("before the node knows the index: %v", read)
	}
	if err := x.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	p.calls()
	if g, err := x.AccessTo(t.Context(), x.Read(t.Context(), id), bob, "session", id); err != nil || g.Access != index.Signer {
		t.Errorf("a record that was not read: %+v, %v", g, err)
	}
	failed := x.Read(t.Context(), id)
	failed.Commands()[1].SetErr(io.EOF)
	if _, err := x.AccessTo(t.Context(), failed, alice, "session", id); !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("a record that could not be read: %v", err)
	}
	sent := x.Read(t.Context(), id)
	if _, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error { return p.BatchProcess(t.Context(), sent.Commands()...) }); err != nil {
		t.Fatal(err)
	}
	redistest.Flush(t, client)
	if g, err := x.AccessTo(t.Context(), sent, alice, "session", id); err != nil || g.Access != index.Owner || len(p.calls()) != 0 {
		t.Errorf("a record that was read with the session: %+v, %v", g, err)
	}
}

// Addresses that Unicode folds to one are two mailboxes: only A to Z are folded.
func TestMailbox_NotFoldedByUnicode(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	x := node(t, client, p)
	for signer, others := range map[string][]string{
		"\u212aIM@corp.test": {"kim@corp.test", "Kim@corp.test"}, "\u017fam@corp.test": {"sam@corp.test"}, "ÜLI@corp.test": {"üli@corp.test"},
	} {
		id := p.create(sent("Loan", alice.User, signer))
		if err := x.Refresh(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			if g, err := x.Grant(t.Context(), access.Person{User: other, Email: other}, "session", id); !fault.Is(err, fault.RequestNotFound) {
				t.Errorf("what %q signs, %q is let in to: %+v, %v", signer, other, g, err)
			}
		}
		own := access.Person{User: "own@sandbox", Email: payload.FoldAddress(signer)}
		if g, err := x.Grant(t.Context(), own, "session", id); err != nil || g.Access != index.Signer {
			t.Errorf("%q: %+v, %v", signer, g, err)
		}
	}
}

// What a node remembers counts only in the index that Redis has: after the index's own
// key was lost, another node has begun another index.
func TestIndex_ReplacedGrantsNothing(t *testing.T) {
	p, client := startPlatform(t), dbtest.Embedded(t).Client
	one, two := node(t, client, p), node(t, client, p)
	id := p.create(sent("Loan", alice.User, bob.Email))
	if err := one.Refresh(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if g, err := one.Grant(t.Context(), bob, "session", id); err != nil || g.Access != index.Signer {
			t.Fatalf("%+v, %v", g, err)
		}
	}
	p.send("DELETE", path(id), nil)
	own := client.Keys(t.Context(), "cs:access:{i}:key:*").Val()
	if len(own) != 1 || client.Del(t.Context(), own...).Val() != 1 {
		t.Fatalf("the index's own key is one of %q", own)
	}
	for i, x := range []*index.Index{two, one} {
		if g, err := x.Grant(t.Context(), bob, "session", id); !fault.Is(err, fault.RequestNotFound) {
			t.Errorf("node %d: %+v, %v", 2-i, g, err)
		}
	}
}
