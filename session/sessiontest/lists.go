package sessiontest

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/redisdb/redistest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

func (b *bench) list(userID string) []session.Listed {
	b.Helper()
	list, err := b.List(b.ctx(), userID)
	b.must(err)
	return list
}

func ids(list []session.Listed) []string {
	var ids []string
	for _, listed := range list {
		ids = append(ids, listed.ID)
	}
	return ids
}

func personSees(b *bench) {
	first := b.signIn(nil, alice)
	b.pass(time.Minute)
	second, err := b.SignIn(b.ctx(), session.SignIn{User: alice, Method: "fido2", Client: phone, Bearer: true})
	b.must(err)
	b.signIn(nil, bob)
	b.startPre()
	b.pass(10 * time.Minute)
	b.must(b.Touch(b.ctx(), b.again(first)))

	list := b.list(alice.ID)
	if got, want := ids(list), []string{first.ID(), second.ID()}; !slices.Equal(got, want) {
		b.Fatalf("the last used first: %q, want %q", got, want)
	}
	now := b.clock.Now()
	if !list[0].LastUsedAt.Equal(now) || !list[0].CreatedAt.Equal(now.Add(-11*time.Minute)) || !list[1].LastUsedAt.Equal(now.Add(-10*time.Minute)) {
		b.Errorf("times: %+v", list)
	}
	if got := list[1]; got.UserAgent != phone.UserAgent || got.Address != phone.Address || !slices.Equal(got.Methods, []string{"fido2"}) {
		b.Errorf("details: %+v", got)
	}
	if list := b.list("nobody@sandbox"); list == nil || len(list) != 0 {
		b.Errorf("somebody without sessions: %v", list)
	}
	longUserAgents(b)
}

func longUserAgents(b *bench) {
	for sent, want := range map[string]string{
		strings.Repeat("a", 120):              strings.Repeat("a", 120),
		strings.Repeat("a", 121):              strings.Repeat("a", 120),
		strings.Repeat("a", 119) + "é":        strings.Repeat("a", 119),
		strings.Repeat("€", 41):               strings.Repeat("€", 40),
		"not UTF-8: \xff\xfe":                 "not UTF-8: \uFFFD",
		strings.Repeat("\xe9", 100) + "after": "\uFFFDafter",
		"":                                    "",
	} {
		sess, err := b.SignIn(b.ctx(), session.SignIn{User: bob, Method: "password", Client: session.Client{UserAgent: sent, Address: sent}})
		b.must(err)
		index := slices.Index(ids(b.list(bob.ID)), sess.ID())
		if index < 0 {
			b.Fatal("a session is not listed")
		}
		if got := b.list(bob.ID)[index].UserAgent; got != want || !utf8.ValidString(got) {
			b.Errorf("user agent %q is kept as %q, want %q", sent, got, want)
		}
	}
}

func personEnds(b *bench) {
	mine, other, foreign := b.signIn(nil, alice), b.signIn(nil, alice), b.signIn(nil, bob)
	b.must(b.Begin(b.ctx(), other, Ceremony("challenge")))
	for name, id := range map[string]string{"another person's": foreign.ID(), "nobody's": "AAAAAAAAAAAAAAAAAAAAAA", "empty": "", "the token": other.Token()} {
		if ended, err := b.End(b.ctx(), alice.ID, id); ended || err != nil {
			b.Errorf("%s id: %v, %v", name, ended, err)
		}
	}
	if ended, err := b.End(b.ctx(), alice.ID, other.ID()); !ended || err != nil {
		b.Errorf("End: %v, %v", ended, err)
	}
	b.gone(other.Token(), "its person ended it")
	b.expectSpend(other, "challenge", Unknown)
	if ended, err := b.End(b.ctx(), alice.ID, other.ID()); ended || err != nil {
		b.Errorf("End once more: %v, %v", ended, err)
	}
	b.alive(mine.Token(), "another was ended")
	b.alive(foreign.Token(), "another person's was ended")
	if got := ids(b.list(alice.ID)); !slices.Equal(got, []string{mine.ID()}) {
		b.Errorf("listed are %q", got)
	}
}

func personEndsOthers(b *bench) {
	others := []*session.Session{b.signIn(nil, alice), b.signIn(nil, alice), b.signIn(nil, alice)}
	mine, foreign := b.signIn(nil, alice), b.signIn(nil, bob)
	b.must(b.EndOthers(b.ctx(), b.again(mine)))
	for _, other := range others {
		b.gone(other.Token(), "its person ended all others")
	}
	b.alive(mine.Token(), "it ended the others")
	b.alive(foreign.Token(), "another person ended theirs")
	if got := ids(b.list(alice.ID)); !slices.Equal(got, []string{mine.ID()}) {
		b.Errorf("listed are %q", got)
	}
	b.must(b.EndOthers(b.ctx(), b.again(mine)))
	b.alive(mine.Token(), "it ended the others twice")
}

func nothingIsLeft(b *bench) {
	sess := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), sess, Ceremony("open")))
	b.must(b.Begin(b.ctx(), sess, Ceremony("spent")))
	b.expectSpend(sess, "spent", Found)
	b.must(b.Begin(b.ctx(), sess, push("request")))
	b.must(b.SignOut(b.ctx(), sess))
	b.expectEmpty("after signing out")

	sess = b.signIn(nil, alice)
	b.pass(Lifetime / 2)
	b.signIn(nil, alice) // the first is over, the list is not
	b.must(b.Begin(b.ctx(), b.startPre(), Ceremony("open")))
	b.gone(sess.Token(), "it was unused")
	redistest.EachKey(b, b.backend.Client, func(ctx context.Context, node *redis.Client, key string) {
		if left := node.PTTL(ctx, key).Val(); left <= 0 || left > Lifetime+time.Second {
			b.Errorf("%s lives for %v", key, left)
		}
	})
	b.pass(Lifetime)
	b.expectEmpty("after a lifetime")

	b.signIn(nil, alice)
	b.pass(Lifetime / 2)
	b.signIn(nil, alice) // keeps the list
	b.pass(Lifetime/2 + time.Minute)
	b.signIn(nil, alice)
	redistest.EachKey(b, b.backend.Client, func(ctx context.Context, node *redis.Client, key string) {
		if n := node.ZCard(ctx, key).Val(); strings.HasPrefix(key, "cs:u:") && n != 2 {
			b.Errorf("a list of %d entries, one of them past its absolute end", n)
		}
	})
}

// expectEmpty checks that Redis holds nothing at all.
func (b *bench) expectEmpty(when string) {
	b.Helper()
	redistest.EachKey(b, b.backend.Client, func(_ context.Context, _ *redis.Client, key string) {
		b.Errorf("%s, Redis holds %q", when, key)
	})
}
