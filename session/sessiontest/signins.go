package sessiontest

import (
	"context"
	"errors"
	"slices"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func signInEverywhere(f *fixture) {
	sess := f.signIn(nil, alice)
	if len(sess.Token()) != 43 {
		f.Errorf("a token of %d characters", len(sess.Token()))
	}
	loaded, ok := f.load(f.node(Keys[0]), sess.Token())
	if !ok {
		f.Fatal("another node does not know the session")
	}
	for name, s := range map[string]*session.Session{"made": sess, "loaded": loaded} {
		user, signedIn := s.User()
		if user != alice || !signedIn {
			f.Errorf("%s: user %v, %v", name, user, signedIn)
		}
		if !slices.Equal(s.Methods(), []string{"password"}) || s.ID() != sess.ID() || s.Language() != "" {
			f.Errorf("%s: methods %q, id %q, language %q", name, s.Methods(), s.ID(), s.Language())
		}
		if now := f.clock.Now(); !s.AuthenticatedAt().Equal(now) || !f.createdAt(s).Equal(now) {
			f.Errorf("%s: authenticated at %v, created at %v, now is %v", name, s.AuthenticatedAt(), f.createdAt(s), now)
		}
		if idle, absolute := s.Remaining(f.clock.Now()); idle != Idle || absolute != Lifetime {
			f.Errorf("%s: %v idle and %v in all are left", name, idle, absolute)
		}
	}
	if other := f.signIn(nil, alice); other.ID() == sess.ID() || other.Token() == sess.Token() {
		f.Error("two sessions share an id or a token")
	}
	for _, wrong := range []struct{ user, method string }{{"", "password"}, {"alice@sandbox", ""}} {
		if _, err := f.SignIn(f.ctx(), session.SignIn{User: session.User{ID: wrong.user}, Method: wrong.method, Client: laptop}); err == nil {
			f.Errorf("user %q signed in by %q", wrong.user, wrong.method)
		}
	}
}

func preSession(f *fixture) {
	pre := f.startPre()
	loaded := f.again(pre)
	if _, signedIn := loaded.User(); signedIn || len(loaded.Methods()) != 0 || !loaded.AuthenticatedAt().IsZero() {
		f.Errorf("a pre-session is somebody's: %v, %q, %v", signedIn, loaded.Methods(), loaded.AuthenticatedAt())
	}
	if loaded.ID() != pre.ID() || pre.Token() == "" {
		f.Error("a pre-session has no token or another id when it is loaded")
	}
}

func sameUserGoesOn(f *fixture) {
	first := f.signIn(nil, alice)
	began := f.createdAt(first)
	f.must(f.SetLanguage(f.ctx(), first, "de"))
	f.pass(10 * time.Minute)
	old := f.again(first)
	renamed := session.User{ID: alice.ID, DisplayName: "Alice Roe", Email: "roe@example.com"}
	sess, err := f.SignIn(f.ctx(), session.SignIn{Old: old, User: renamed, Method: "fido2", Client: phone})
	f.must(err)
	f.gone(first.Token(), "its token was rotated")
	for range 2 { // a repeated method is listed once
		old = sess
		sess, err = f.SignIn(f.ctx(), session.SignIn{Old: old, User: renamed, Method: "fido2", Client: phone})
		f.must(err)
		f.gone(old.Token(), "its token was rotated again")
	}

	loaded := f.again(sess)
	if loaded.ID() != first.ID() || !f.createdAt(loaded).Equal(began) || loaded.Language() != "de" {
		f.Errorf("going on: id %q, created at %v, language %q", loaded.ID(), f.createdAt(loaded), loaded.Language())
	}
	if !loaded.AuthenticatedAt().Equal(f.clock.Now()) || !slices.Equal(loaded.Methods(), []string{"password", "fido2"}) {
		f.Errorf("going on: authenticated at %v by %q", loaded.AuthenticatedAt(), loaded.Methods())
	}
	if user, _ := loaded.User(); user != renamed {
		f.Errorf("going on: %v", user)
	}
	if _, absolute := loaded.Remaining(f.clock.Now()); absolute != Lifetime-10*time.Minute {
		f.Errorf("going on moved the absolute end: %v are left", absolute)
	}
	list := f.list(alice.ID)
	if len(list) != 1 || list[0].ID != first.ID() || list[0].UserAgent != phone.UserAgent || !slices.Equal(list[0].Methods, []string{"password", "fido2"}) {
		f.Errorf("going on, the list is %+v", list)
	}
}

func anotherUserEnds(f *fixture) {
	old := f.signIn(nil, alice)
	f.must(f.SetLanguage(f.ctx(), old, "de"))
	f.must(f.Put(f.ctx(), old, Ceremony("challenge")))
	sess := f.signIn(old, bob)
	f.gone(old.Token(), "another user signed in from it")
	if user, _ := f.again(sess).User(); user != bob {
		f.Errorf("signed in is %v", user)
	}
	if sess.ID() == old.ID() || sess.Language() != "" {
		f.Error("another user's session goes on from the old one")
	}
	if list := f.list(alice.ID); len(list) != 0 {
		f.Errorf("the old session is listed: %+v", list)
	}
	f.expectSpend(sess, "challenge", Unknown)
	f.expectSpend(old, "challenge", Unknown)
}

func preSessionIsConsumed(f *fixture) {
	pre := f.startPre()
	f.must(f.SetLanguage(f.ctx(), pre, "fr"))
	f.must(f.Put(f.ctx(), pre, Ceremony("challenge")))
	sess := f.signIn(f.again(pre), alice)
	f.gone(pre.Token(), "it was consumed")
	if sess.ID() == pre.ID() || sess.Token() == pre.Token() {
		f.Error("the session is the pre-session")
	}
	if got := f.again(sess).Language(); got != "fr" {
		f.Errorf("the language is %q", got)
	}
	f.expectSpend(pre, "challenge", Unknown)
	f.expectSpend(sess, "challenge", Unknown)
}

func twoSignInsAtOnce(f *fixture) {
	for name, start := range map[string]func() *session.Session{
		"pre-session": f.startPre,
		"session":     func() *session.Session { return f.signIn(nil, alice) },
	} {
		old := start()
		const tries = 5
		made, try := make([]*session.Session, tries), make([]func() error, tries)
		for i := range tries {
			loaded := f.again(old)
			try[i] = func() (err error) {
				made[i], err = f.SignIn(f.ctx(), session.SignIn{Old: loaded, User: alice, Method: "fido2", Client: laptop})
				return err
			}
		}
		f.atOnce(try...)
		f.gone(old.Token(), name+" that was signed in from")
		ids, goOn := map[string]bool{}, 0
		for _, sess := range made {
			f.alive(sess.Token(), name+": a sign-in that succeeded")
			ids[sess.ID()] = true
			if sess.ID() == old.ID() {
				goOn++
			}
		}
		if len(ids) != tries {
			f.Errorf("%s: %d sign-ins made %d sessions", name, tries, len(ids))
		}
		if want := map[string]int{"pre-session": 0, "session": 1}[name]; goOn != want {
			f.Errorf("%s: %d sessions go on from it, want %d", name, goOn, want)
		}
		if list := f.list(alice.ID); len(list) != tries {
			f.Errorf("%s: %d sessions are listed, want %d", name, len(list), tries)
		}
		f.must(f.EndOthers(f.ctx(), made[0]))
		f.must(f.SignOut(f.ctx(), made[0]))
		f.expectEmpty("after everybody was signed out")
	}
}

func signedOutIsNotContinued(f *fixture) {
	old := f.signIn(nil, alice)
	slow := f.again(old)
	f.must(f.Put(f.ctx(), old, Ceremony("challenge")))
	f.must(f.SignOut(f.ctx(), old))
	f.pass(time.Minute)
	sess := f.signIn(slow, alice)
	if sess.ID() == old.ID() || !f.createdAt(sess).Equal(f.clock.Now()) {
		f.Error("a session that was signed out goes on")
	}
	if _, absolute := f.again(sess).Remaining(f.clock.Now()); absolute != Lifetime {
		f.Errorf("a fresh session has %v left", absolute)
	}
	f.expectSpend(sess, "challenge", Unknown)
	if list := f.list(alice.ID); len(list) != 1 || list[0].ID != sess.ID() {
		f.Errorf("listed are %+v", list)
	}
}

// clientGoesAway: a client that does not wait leaves no verb half done, and its going
// away is neither an outage nor a sign-out.
func clientGoesAway(f *fixture) {
	cancelled, cancel := context.WithCancel(f.ctx())
	cancel()
	sess, err := f.SignIn(cancelled, session.SignIn{User: alice, Method: "password", Client: laptop})
	f.must(err)
	f.must(f.SetLanguage(cancelled, sess, "de"))
	f.must(f.Put(cancelled, sess, Ceremony("challenge")))
	if got := f.again(sess).Language(); got != "de" {
		f.Errorf("the language is %q", got)
	}
	if _, ok, err := f.Load(bearer(sess.Token()).WithContext(cancelled)); ok || !fault.Is(err, fault.RequestCancelled) || !errors.Is(err, context.Canceled) {
		f.Errorf("loading for a client that went away: %v, %v", ok, err)
	}
	f.must(f.SignOut(cancelled, sess))
	f.expectEmpty("after signing out")
}
