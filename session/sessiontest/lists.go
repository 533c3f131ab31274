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

func (f *fixture) list(userID string) []session.SessionInfo {
	f.Helper()
	list, err := f.List(f.ctx(), userID)
	f.must(err)
	return list
}

// createdAt returns the beginning of the session, as shown to its person.
func (f *fixture) createdAt(sess *session.Session) time.Time {
	f.Helper()
	user, _ := sess.User()
	for _, listed := range f.list(user.ID) {
		if listed.ID == sess.ID() {
			return listed.CreatedAt
		}
	}
	f.Fatal("the session is not listed")
	return time.Time{}
}

func ids(list []session.SessionInfo) []string {
	var ids []string
	for _, listed := range list {
		ids = append(ids, listed.ID)
	}
	return ids
}

func personSees(f *fixture) {
	first := f.signIn(nil, alice)
	f.pass(time.Minute)
	second, err := f.SignIn(f.ctx(), session.SignIn{User: alice, Method: "fido2", Client: phone, Bearer: true})
	f.must(err)
	f.signIn(nil, bob)
	f.startPre()
	f.pass(10 * time.Minute)
	f.must(f.Touch(f.ctx(), f.again(first)))

	list := f.list(alice.ID)
	if got, want := ids(list), []string{first.ID(), second.ID()}; !slices.Equal(got, want) {
		f.Fatalf("the last used first: %q, want %q", got, want)
	}
	now := f.clock.Now()
	if !list[0].LastUsedAt.Equal(now) || !list[0].CreatedAt.Equal(now.Add(-11*time.Minute)) || !list[1].LastUsedAt.Equal(now.Add(-10*time.Minute)) {
		f.Errorf("times: %+v", list)
	}
	if got := list[1]; got.UserAgent != phone.UserAgent || got.Address != phone.Address || !slices.Equal(got.Methods, []string{"fido2"}) {
		f.Errorf("details: %+v", got)
	}
	if list := f.list("nobody@sandbox"); list == nil || len(list) != 0 {
		f.Errorf("somebody without sessions: %v", list)
	}
	longUserAgents(f)
}

func longUserAgents(f *fixture) {
	for sent, want := range map[string]string{
		strings.Repeat("a", 116):              strings.Repeat("a", 116),
		strings.Repeat("a", 117):              strings.Repeat("a", 116),
		strings.Repeat("a", 115) + "é":        strings.Repeat("a", 115),
		strings.Repeat("€", 39):               strings.Repeat("€", 38),
		"not UTF-8: \xff\xfe":                 "not UTF-8: \uFFFD",
		strings.Repeat("\xe9", 100) + "after": "\uFFFDafter",
		"":                                    "",
	} {
		sess, err := f.SignIn(f.ctx(), session.SignIn{User: bob, Method: "password", Client: session.Client{UserAgent: sent, Address: sent}})
		f.must(err)
		index := slices.Index(ids(f.list(bob.ID)), sess.ID())
		if index < 0 {
			f.Fatal("a session is not listed")
		}
		if got := f.list(bob.ID)[index].UserAgent; got != want || !utf8.ValidString(got) {
			f.Errorf("user agent %q is kept as %q, want %q", sent, got, want)
		}
	}
}

func personEnds(f *fixture) {
	mine, other, foreign := f.signIn(nil, alice), f.signIn(nil, alice), f.signIn(nil, bob)
	f.must(f.Put(f.ctx(), other, Ceremony("challenge")))
	for name, id := range map[string]string{"another person's": foreign.ID(), "nobody's": "AAAAAAAAAAAAAAAAAAAAAA", "empty": "", "the token": other.Token()} {
		if ended, err := f.End(f.ctx(), alice.ID, id); ended || err != nil {
			f.Errorf("%s id: %v, %v", name, ended, err)
		}
	}
	if ended, err := f.End(f.ctx(), alice.ID, other.ID()); !ended || err != nil {
		f.Errorf("End: %v, %v", ended, err)
	}
	f.gone(other.Token(), "its person ended it")
	f.expectSpend(other, "challenge", Unknown)
	if ended, err := f.End(f.ctx(), alice.ID, other.ID()); ended || err != nil {
		f.Errorf("End once more: %v, %v", ended, err)
	}
	f.alive(mine.Token(), "another was ended")
	f.alive(foreign.Token(), "another person's was ended")
	if got := ids(f.list(alice.ID)); !slices.Equal(got, []string{mine.ID()}) {
		f.Errorf("listed are %q", got)
	}
}

func personEndsOthers(f *fixture) {
	others := []*session.Session{f.signIn(nil, alice), f.signIn(nil, alice), f.signIn(nil, alice)}
	mine, foreign := f.signIn(nil, alice), f.signIn(nil, bob)
	f.must(f.EndOthers(f.ctx(), f.again(mine)))
	for _, other := range others {
		f.gone(other.Token(), "its person ended all others")
	}
	f.alive(mine.Token(), "it ended the others")
	f.alive(foreign.Token(), "another person ended theirs")
	if got := ids(f.list(alice.ID)); !slices.Equal(got, []string{mine.ID()}) {
		f.Errorf("listed are %q", got)
	}
	f.must(f.EndOthers(f.ctx(), f.again(mine)))
	f.alive(mine.Token(), "it ended the others twice")
}

func nothingIsLeft(f *fixture) {
	sess := f.signIn(nil, alice)
	f.must(f.Put(f.ctx(), sess, Ceremony("open")))
	f.must(f.Put(f.ctx(), sess, Ceremony("spent")))
	f.expectSpend(sess, "spent", Found)
	f.must(f.Put(f.ctx(), sess, push("request")))
	f.must(f.SignOut(f.ctx(), sess))
	f.expectEmpty("after signing out")

	sess = f.signIn(nil, alice)
	f.pass(Lifetime / 2)
	f.signIn(nil, alice) // the first session is over, but not the list
	f.must(f.Put(f.ctx(), f.startPre(), Ceremony("open")))
	f.gone(sess.Token(), "it was unused")
	redistest.EachKey(f, f.backend.Client, func(ctx context.Context, node redis.Cmdable, key string) {
		if left := node.PTTL(ctx, key).Val(); left <= 0 || left > Lifetime+time.Second {
			f.Errorf("%s lives for %v", key, left)
		}
	})
	f.pass(Lifetime)
	f.expectEmpty("after a lifetime")

	f.signIn(nil, alice)
	f.pass(Lifetime / 2)
	f.signIn(nil, alice) // keeps the list alive
	f.pass(Lifetime/2 + time.Minute)
	f.signIn(nil, alice)
	redistest.EachKey(f, f.backend.Client, func(ctx context.Context, node redis.Cmdable, key string) {
		if n := node.ZCard(ctx, key).Val(); strings.HasPrefix(key, "cs:u:") && n != 2 {
			f.Errorf("a list of %d entries, one of them past its absolute end", n)
		}
	})
}

// expectEmpty checks that Redis holds nothing at all.
func (f *fixture) expectEmpty(when string) {
	f.Helper()
	redistest.EachKey(f, f.backend.Client, func(_ context.Context, _ redis.Cmdable, key string) {
		f.Errorf("%s, Redis holds %q", when, key)
	})
}
