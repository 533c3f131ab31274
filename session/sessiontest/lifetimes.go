package sessiontest

import (
	"strconv"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func unusedEnds(f *fixture) {
	sess := f.signIn(nil, alice)
	f.pass(Idle - time.Minute)
	f.alive(sess.Token(), "it was unused for less than it may be")
	f.pass(time.Minute)
	f.gone(sess.Token(), "it was unused for as long as it may be")
	if list := f.list(alice.ID); len(list) != 0 {
		f.Errorf("listed are %+v", list)
	}
	f.expectEmpty("after its person looked at their list")

	kept := f.signIn(nil, alice)
	f.clock.Advance(Idle) // while Redis still holds it
	f.gone(kept.Token(), "it was unused, though Redis has not noticed")
	if list := f.list(alice.ID); len(list) != 0 {
		f.Errorf("listed, though over, are %+v", list)
	}
}

func usingProlongs(f *fixture) {
	sess := f.signIn(nil, alice)
	for range 5 {
		f.pass(Idle - time.Minute)
		loaded := f.again(sess)
		f.must(f.Touch(f.ctx(), loaded))
		if idle, _ := loaded.Remaining(f.clock.Now()); idle != Idle {
			f.Errorf("touched, it has %v left", idle)
		}
	}
	at := f.clock.Now()
	f.pass(Idle/10 - time.Second)
	f.must(f.Touch(f.ctx(), f.again(sess)))
	if got := f.list(alice.ID)[0].LastUsedAt; !got.Equal(at) {
		f.Errorf("touched within a tenth of the idle time, it was last used at %v, want %v", got, at)
	}
	f.pass(time.Second)
	f.must(f.Touch(f.ctx(), f.again(sess)))
	if got := f.list(alice.ID)[0].LastUsedAt; !got.Equal(f.clock.Now()) {
		f.Errorf("touched after a tenth of the idle time, it was last used at %v, now is %v", got, f.clock.Now())
	}
}

func absoluteEndStays(f *fixture) {
	first := f.signIn(nil, alice)
	sess := first
	for range int(Lifetime/Idle)*2 - 1 {
		f.pass(Idle / 2)
		f.must(f.Touch(f.ctx(), f.again(sess)))
		sess = f.signIn(f.again(sess), alice)
	}
	idle, absolute := f.again(sess).Remaining(f.clock.Now())
	if idle != Idle/2 || absolute != Idle/2 {
		f.Errorf("before the end %v idle and %v in all are left", idle, absolute)
	}
	f.must(f.Touch(f.ctx(), f.again(sess)))
	f.pass(Idle / 2)
	f.gone(sess.Token(), "its absolute end has come")
	f.expectEmpty("after the absolute end")
}

func preSessionLives(f *fixture) {
	pre := f.startPre()
	f.pass(RecordTTL)
	f.alive(pre.Token(), "a ceremony begun with it may be open still")
	loaded := f.again(pre)
	f.must(f.Put(f.ctx(), loaded, Ceremony("challenge")))
	f.pass(RecordTTL - margin)
	f.alive(pre.Token(), "its ceremony is open")
	loaded = f.again(pre)
	begun := push("request")
	begun.Expiry = f.clock.Now().Add(RecordTTL)
	f.must(f.Put(f.ctx(), loaded, begun))
	f.pass(RecordTTL - margin)
	f.expectPeek(f.again(pre), "request", begun)
	f.pass(2 * time.Minute)
	f.gone(pre.Token(), "nothing is open in it")
	f.expectEmpty("after the pre-session")
}

// lateWrite saves a session in a slow request, after it was signed out.
func lateWrite(f *fixture) {
	for name, end := range map[string]func(token string){
		"sign-out": func(token string) {
			sess, _ := f.load(f.Store, token)
			f.must(f.SignOut(f.ctx(), sess))
		},
		"rotation": func(token string) {
			sess, _ := f.load(f.Store, token)
			f.must(f.SignOut(f.ctx(), f.signIn(sess, alice)))
		},
		"expiry": func(string) { f.pass(Idle) },
		"another session": func(token string) {
			sess, _ := f.load(f.Store, token)
			other := f.signIn(nil, alice)
			if ended, err := f.End(f.ctx(), alice.ID, sess.ID()); err != nil || !ended {
				f.Errorf("End: %v, %v", ended, err)
			}
			f.must(f.SignOut(f.ctx(), other))
		},
	} {
		sess := f.signIn(nil, alice)
		slow := f.again(sess)
		f.pass(Idle / 2)
		end(sess.Token())
		for verb, err := range map[string]error{
			"SetLanguage": f.SetLanguage(f.ctx(), slow, "de"),
			"SetUser":     f.SetUser(f.ctx(), slow, alice),
			"Begin":       f.Put(f.ctx(), slow, Ceremony("challenge")),
		} {
			if !fault.Is(err, fault.SessionRequired) {
				f.Errorf("%s after %s: %v", verb, name, err)
			}
		}
		f.must(f.Touch(f.ctx(), slow))
		f.gone(sess.Token(), "a late write after "+name)
		if name == "expiry" {
			f.list(alice.ID) // removes expired entries
		}
		f.expectEmpty("after a late write after " + name)
		f.must(f.SignOut(f.ctx(), slow))
	}
}

func writesLoseNothing(f *fixture) {
	sess := f.signIn(nil, alice)
	other := f.node(Keys[0])
	for round := range 20 {
		one, another := f.again(sess), f.again(sess) // both have read the same revision
		language, user := "de-x-"+strconv.Itoa(round), session.User{ID: bob.ID, DisplayName: strconv.Itoa(round), Email: bob.Email}
		f.atOnce(
			func() error { return f.SetLanguage(f.ctx(), one, language) },
			func() error { return other.SetUser(f.ctx(), another, user) })
		loaded := f.again(sess)
		if got, _ := loaded.User(); loaded.Language() != language || got.DisplayName != user.DisplayName || got.Email != user.Email || got.ID != alice.ID {
			f.Errorf("round %d: language %q, user %v", round, loaded.Language(), got)
		}
	}
}

func changes(f *fixture) {
	sess := f.signIn(nil, alice)
	f.pass(time.Minute)
	loaded := f.again(sess)
	f.must(f.SetLanguage(f.ctx(), loaded, "pt-BR"))
	f.must(f.SetUser(f.ctx(), loaded, bob))
	again := f.again(sess)
	if loaded.Language() != "pt-BR" || again.Language() != "pt-BR" {
		f.Errorf("the language is %q here and %q in Redis", loaded.Language(), again.Language())
	}
	if user, _ := again.User(); user.DisplayName != bob.DisplayName || user.Email != bob.Email {
		f.Errorf("the user is %v", user)
	}
	if idle, absolute := again.Remaining(f.clock.Now()); idle != Idle-time.Minute || absolute != Lifetime-time.Minute {
		f.Errorf("a change prolonged the session: %v, %v", idle, absolute)
	}
	f.pass(Idle - time.Minute)
	f.gone(sess.Token(), "it was changed, and not used")
	f.list(alice.ID)
	f.expectEmpty("after a change that does not prolong")
}

func missingProfile(f *fixture) {
	nameless := session.User{ID: alice.ID, ProfileMissing: true}
	sess := f.signIn(nil, nameless)
	f.expectUser(sess, nameless)
	sess = f.signIn(f.again(sess), nameless)
	f.expectUser(sess, nameless)

	loaded := f.again(sess)
	f.must(f.SetUser(f.ctx(), loaded, alice))
	if user, _ := loaded.User(); user != alice {
		f.Errorf("the session that was changed is %+v's", user)
	}
	f.expectUser(sess, alice)
	sess = f.signIn(f.again(sess), nameless) // the known profile stays
	f.expectUser(sess, alice)

	sess = f.signIn(nil, nameless)
	f.expectUser(f.signIn(f.again(sess), alice), alice)
	f.expectUser(f.signIn(f.signIn(nil, bob), nameless), nameless) // bob's profile does not become alice's
}

// expectUser checks the signed-in user, as another request of the client sees it.
func (f *fixture) expectUser(sess *session.Session, want session.User) {
	f.Helper()
	if user, ok := f.again(sess).User(); !ok || user != want {
		f.Errorf("the session is %+v's, want %+v", user, want)
	}
}
