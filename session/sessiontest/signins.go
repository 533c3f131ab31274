package sessiontest

import (
	"context"
	"errors"
	"slices"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func signInEverywhere(b *bench) {
	sess := b.signIn(nil, alice)
	if len(sess.Token()) != 43 {
		b.Errorf("a token of %d characters", len(sess.Token()))
	}
	loaded, ok := b.load(b.node(Keys[0]), sess.Token())
	if !ok {
		b.Fatal("another node does not know the session")
	}
	for name, s := range map[string]*session.Session{"made": sess, "loaded": loaded} {
		user, signedIn := s.User()
		if user != alice || !signedIn {
			b.Errorf("%s: user %v, %v", name, user, signedIn)
		}
		if !slices.Equal(s.Methods(), []string{"password"}) || s.ID() != sess.ID() || s.Language() != "" {
			b.Errorf("%s: methods %q, id %q, language %q", name, s.Methods(), s.ID(), s.Language())
		}
		if now := b.clock.Now(); !s.AuthenticatedAt().Equal(now) || !s.CreatedAt().Equal(now) {
			b.Errorf("%s: authenticated at %v, created at %v, now is %v", name, s.AuthenticatedAt(), s.CreatedAt(), now)
		}
		if idle, absolute := s.Remaining(b.clock.Now()); idle != Idle || absolute != Lifetime {
			b.Errorf("%s: %v idle and %v in all are left", name, idle, absolute)
		}
	}
	if other := b.signIn(nil, alice); other.ID() == sess.ID() || other.Token() == sess.Token() {
		b.Error("two sessions share an id or a token")
	}
	for _, wrong := range []struct{ user, method string }{{"", "password"}, {"alice@sandbox", ""}} {
		if _, err := b.SignIn(b.ctx(), session.SignIn{User: session.User{ID: wrong.user}, Method: wrong.method, Client: laptop}); err == nil {
			b.Errorf("user %q signed in by %q", wrong.user, wrong.method)
		}
	}
}

func preSession(b *bench) {
	pre := b.startPre()
	loaded := b.again(pre)
	if _, signedIn := loaded.User(); signedIn || len(loaded.Methods()) != 0 || !loaded.AuthenticatedAt().IsZero() {
		b.Errorf("a pre-session is somebody's: %v, %q, %v", signedIn, loaded.Methods(), loaded.AuthenticatedAt())
	}
	if loaded.ID() != pre.ID() || pre.Token() == "" {
		b.Error("a pre-session has no token or another id when it is loaded")
	}
}

func sameUserGoesOn(b *bench) {
	first := b.signIn(nil, alice)
	b.must(b.SetLanguage(b.ctx(), first, "de"))
	b.pass(10 * time.Minute)
	old := b.again(first)
	renamed := session.User{ID: alice.ID, DisplayName: "Alice Roe", Email: "roe@example.com"}
	sess, err := b.SignIn(b.ctx(), session.SignIn{Old: old, User: renamed, Method: "fido2", Client: phone})
	b.must(err)
	b.gone(first.Token(), "its token was rotated")
	for range 2 { // a method once used is not told twice
		old = sess
		sess, err = b.SignIn(b.ctx(), session.SignIn{Old: old, User: renamed, Method: "fido2", Client: phone})
		b.must(err)
		b.gone(old.Token(), "its token was rotated again")
	}

	loaded := b.again(sess)
	if loaded.ID() != first.ID() || !loaded.CreatedAt().Equal(first.CreatedAt()) || loaded.Language() != "de" {
		b.Errorf("going on: id %q, created at %v, language %q", loaded.ID(), loaded.CreatedAt(), loaded.Language())
	}
	if !loaded.AuthenticatedAt().Equal(b.clock.Now()) || !slices.Equal(loaded.Methods(), []string{"password", "fido2"}) {
		b.Errorf("going on: authenticated at %v by %q", loaded.AuthenticatedAt(), loaded.Methods())
	}
	if user, _ := loaded.User(); user != renamed {
		b.Errorf("going on: %v", user)
	}
	if _, absolute := loaded.Remaining(b.clock.Now()); absolute != Lifetime-10*time.Minute {
		b.Errorf("going on moved the absolute end: %v are left", absolute)
	}
	list := b.list(alice.ID)
	if len(list) != 1 || list[0].ID != first.ID() || list[0].UserAgent != phone.UserAgent || !slices.Equal(list[0].Methods, []string{"password", "fido2"}) {
		b.Errorf("going on, the list is %+v", list)
	}
}

func anotherUserEnds(b *bench) {
	old := b.signIn(nil, alice)
	b.must(b.SetLanguage(b.ctx(), old, "de"))
	b.must(b.Begin(b.ctx(), old, Ceremony("challenge")))
	sess := b.signIn(old, bob)
	b.gone(old.Token(), "another user signed in from it")
	if user, _ := b.again(sess).User(); user != bob {
		b.Errorf("signed in is %v", user)
	}
	if sess.ID() == old.ID() || sess.Language() != "" {
		b.Error("another user's session goes on from the old one")
	}
	if list := b.list(alice.ID); len(list) != 0 {
		b.Errorf("the old session is listed: %+v", list)
	}
	b.expectSpend(sess, "challenge", Unknown)
	b.expectSpend(old, "challenge", Unknown)
}

func preSessionIsConsumed(b *bench) {
	pre := b.startPre()
	b.must(b.SetLanguage(b.ctx(), pre, "fr"))
	b.must(b.Begin(b.ctx(), pre, Ceremony("challenge")))
	sess := b.signIn(b.again(pre), alice)
	b.gone(pre.Token(), "it was consumed")
	if sess.ID() == pre.ID() || sess.Token() == pre.Token() {
		b.Error("the session is the pre-session")
	}
	if got := b.again(sess).Language(); got != "fr" {
		b.Errorf("the language is %q", got)
	}
	b.expectSpend(pre, "challenge", Unknown)
	b.expectSpend(sess, "challenge", Unknown)
}

func twoSignInsAtOnce(b *bench) {
	for name, start := range map[string]func() *session.Session{
		"pre-session": b.startPre,
		"session":     func() *session.Session { return b.signIn(nil, alice) },
	} {
		old := start()
		const tries = 5
		made, try := make([]*session.Session, tries), make([]func() error, tries)
		for i := range tries {
			loaded := b.again(old)
			try[i] = func() (err error) {
				made[i], err = b.SignIn(b.ctx(), session.SignIn{Old: loaded, User: alice, Method: "fido2", Client: laptop})
				return err
			}
		}
		b.atOnce(try...)
		b.gone(old.Token(), name+" that was signed in from")
		ids, goOn := map[string]bool{}, 0
		for _, sess := range made {
			b.alive(sess.Token(), name+": a sign-in that succeeded")
			ids[sess.ID()] = true
			if sess.ID() == old.ID() {
				goOn++
			}
		}
		if len(ids) != tries {
			b.Errorf("%s: %d sign-ins made %d sessions", name, tries, len(ids))
		}
		if want := map[string]int{"pre-session": 0, "session": 1}[name]; goOn != want {
			b.Errorf("%s: %d sessions go on from it, want %d", name, goOn, want)
		}
		if list := b.list(alice.ID); len(list) != tries {
			b.Errorf("%s: %d sessions are listed, want %d", name, len(list), tries)
		}
		b.must(b.EndOthers(b.ctx(), made[0]))
		b.must(b.SignOut(b.ctx(), made[0]))
		b.expectEmpty("after everybody was signed out")
	}
}

func signedOutIsNotContinued(b *bench) {
	old := b.signIn(nil, alice)
	slow := b.again(old)
	b.must(b.Begin(b.ctx(), old, Ceremony("challenge")))
	b.must(b.SignOut(b.ctx(), old))
	b.pass(time.Minute)
	sess := b.signIn(slow, alice)
	if sess.ID() == old.ID() || !sess.CreatedAt().Equal(b.clock.Now()) {
		b.Error("a session that was signed out goes on")
	}
	if _, absolute := b.again(sess).Remaining(b.clock.Now()); absolute != Lifetime {
		b.Errorf("a fresh session has %v left", absolute)
	}
	b.expectSpend(sess, "challenge", Unknown)
	if list := b.list(alice.ID); len(list) != 1 || list[0].ID != sess.ID() {
		b.Errorf("listed are %+v", list)
	}
}

// clientGoesAway: a verb is not left half done by a client that does not wait for
// it; and a client that went away is neither an outage nor signed out.
func clientGoesAway(b *bench) {
	cancelled, cancel := context.WithCancel(b.ctx())
	cancel()
	sess, err := b.SignIn(cancelled, session.SignIn{User: alice, Method: "password", Client: laptop})
	b.must(err)
	b.must(b.SetLanguage(cancelled, sess, "de"))
	b.must(b.Begin(cancelled, sess, Ceremony("challenge")))
	if got := b.again(sess).Language(); got != "de" {
		b.Errorf("the language is %q", got)
	}
	if _, ok, err := b.Load(bearer(sess.Token()).WithContext(cancelled)); ok || !fault.Is(err, fault.RequestCancelled) || !errors.Is(err, context.Canceled) {
		b.Errorf("loading for a client that went away: %v, %v", ok, err)
	}
	b.must(b.SignOut(cancelled, sess))
	b.expectEmpty("after signing out")
}
