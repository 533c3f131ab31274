package sessiontest

import (
	"strconv"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func unusedEnds(b *bench) {
	sess := b.signIn(nil, alice)
	b.pass(Idle - time.Minute)
	b.alive(sess.Token(), "it was unused for less than it may be")
	b.pass(time.Minute)
	b.gone(sess.Token(), "it was unused for as long as it may be")
	if list := b.list(alice.ID); len(list) != 0 {
		b.Errorf("listed are %+v", list)
	}
	b.expectEmpty("after its person looked at their list")

	kept := b.signIn(nil, alice)
	b.clock.Advance(Idle) // and Redis holds it still
	b.gone(kept.Token(), "it was unused, though Redis has not noticed")
	if list := b.list(alice.ID); len(list) != 0 {
		b.Errorf("listed, though over, are %+v", list)
	}
}

func usingProlongs(b *bench) {
	sess := b.signIn(nil, alice)
	for range 5 {
		b.pass(Idle - time.Minute)
		loaded := b.again(sess)
		b.must(b.Touch(b.ctx(), loaded))
		if idle, _ := loaded.Remaining(b.clock.Now()); idle != Idle {
			b.Errorf("touched, it has %v left", idle)
		}
	}
	at := b.clock.Now()
	b.pass(Idle/10 - time.Second)
	b.must(b.Touch(b.ctx(), b.again(sess)))
	if got := b.list(alice.ID)[0].LastUsedAt; !got.Equal(at) {
		b.Errorf("touched within a tenth of the idle time, it was last used at %v, want %v", got, at)
	}
	b.pass(time.Second)
	b.must(b.Touch(b.ctx(), b.again(sess)))
	if got := b.list(alice.ID)[0].LastUsedAt; !got.Equal(b.clock.Now()) {
		b.Errorf("touched after a tenth of the idle time, it was last used at %v, now is %v", got, b.clock.Now())
	}
}

func absoluteEndStays(b *bench) {
	first := b.signIn(nil, alice)
	sess := first
	for range int(Lifetime/Idle)*2 - 1 {
		b.pass(Idle / 2)
		b.must(b.Touch(b.ctx(), b.again(sess)))
		sess = b.signIn(b.again(sess), alice)
	}
	idle, absolute := b.again(sess).Remaining(b.clock.Now())
	if idle != Idle/2 || absolute != Idle/2 {
		b.Errorf("before the end %v idle and %v in all are left", idle, absolute)
	}
	b.must(b.Touch(b.ctx(), b.again(sess)))
	b.pass(Idle / 2)
	b.gone(sess.Token(), "its absolute end has come")
	b.expectEmpty("after the absolute end")
}

func preSessionLives(b *bench) {
	pre := b.startPre()
	b.pass(RecordTTL)
	b.alive(pre.Token(), "a ceremony begun with it may be open still")
	loaded := b.again(pre)
	b.must(b.Begin(b.ctx(), loaded, Ceremony("challenge")))
	b.pass(RecordTTL - time.Second)
	b.alive(pre.Token(), "its ceremony is open")
	loaded = b.again(pre)
	begun := push("request")
	begun.Expiry = b.clock.Now().Add(RecordTTL)
	b.must(b.Begin(b.ctx(), loaded, begun))
	b.pass(RecordTTL - time.Second)
	b.expectPeek(b.again(pre), "request", begun)
	b.pass(2 * time.Minute)
	b.gone(pre.Token(), "nothing is open in it")
	b.expectEmpty("after the pre-session")
}

// lateWrite is a slow request that saves after its session was signed out.
func lateWrite(b *bench) {
	for name, end := range map[string]func(token string){
		"sign-out": func(token string) {
			sess, _ := b.load(b.Store, token)
			b.must(b.SignOut(b.ctx(), sess))
		},
		"rotation": func(token string) {
			sess, _ := b.load(b.Store, token)
			b.must(b.SignOut(b.ctx(), b.signIn(sess, alice)))
		},
		"expiry": func(string) { b.pass(Idle) },
		"another session": func(token string) {
			sess, _ := b.load(b.Store, token)
			other := b.signIn(nil, alice)
			if ended, err := b.End(b.ctx(), alice.ID, sess.ID()); err != nil || !ended {
				b.Errorf("End: %v, %v", ended, err)
			}
			b.must(b.SignOut(b.ctx(), other))
		},
	} {
		sess := b.signIn(nil, alice)
		slow := b.again(sess)
		b.pass(Idle / 2)
		end(sess.Token())
		for verb, err := range map[string]error{
			"SetLanguage": b.SetLanguage(b.ctx(), slow, "de"),
			"SetUser":     b.SetUser(b.ctx(), slow, alice),
			"Begin":       b.Begin(b.ctx(), slow, Ceremony("challenge")),
		} {
			if !fault.Is(err, fault.SessionRequired) {
				b.Errorf("%s after %s: %v", verb, name, err)
			}
		}
		b.must(b.Touch(b.ctx(), slow))
		b.gone(sess.Token(), "a late write after "+name)
		if name == "expiry" {
			b.list(alice.ID) // strikes what expired
		}
		b.expectEmpty("after a late write after " + name)
		b.must(b.SignOut(b.ctx(), slow))
	}
}

func writesLoseNothing(b *bench) {
	sess := b.signIn(nil, alice)
	other := b.node(Keys[0])
	for round := range 20 {
		one, another := b.again(sess), b.again(sess) // both have read the same revision
		language, user := "de-x-"+strconv.Itoa(round), session.User{ID: bob.ID, DisplayName: strconv.Itoa(round), Email: bob.Email}
		b.atOnce(
			func() error { return b.SetLanguage(b.ctx(), one, language) },
			func() error { return other.SetUser(b.ctx(), another, user) })
		loaded := b.again(sess)
		if got, _ := loaded.User(); loaded.Language() != language || got.DisplayName != user.DisplayName || got.Email != user.Email || got.ID != alice.ID {
			b.Errorf("round %d: language %q, user %v", round, loaded.Language(), got)
		}
	}
}

func changes(b *bench) {
	sess := b.signIn(nil, alice)
	b.pass(time.Minute)
	loaded := b.again(sess)
	b.must(b.SetLanguage(b.ctx(), loaded, "pt-BR"))
	b.must(b.SetUser(b.ctx(), loaded, bob))
	again := b.again(sess)
	if loaded.Language() != "pt-BR" || again.Language() != "pt-BR" {
		b.Errorf("the language is %q here and %q in Redis", loaded.Language(), again.Language())
	}
	if user, _ := again.User(); user.DisplayName != bob.DisplayName || user.Email != bob.Email {
		b.Errorf("the user is %v", user)
	}
	if idle, absolute := again.Remaining(b.clock.Now()); idle != Idle-time.Minute || absolute != Lifetime-time.Minute {
		b.Errorf("a change prolonged the session: %v, %v", idle, absolute)
	}
	b.pass(Idle - time.Minute)
	b.gone(sess.Token(), "it was changed, and not used")
	b.list(alice.ID)
	b.expectEmpty("after a change that does not prolong")
}

func missingProfile(b *bench) {
	nameless := session.User{ID: alice.ID, ProfileMissing: true}
	sess := b.signIn(nil, nameless)
	b.expectUser(sess, nameless)
	sess = b.signIn(b.again(sess), nameless)
	b.expectUser(sess, nameless)

	loaded := b.again(sess)
	b.must(b.SetUser(b.ctx(), loaded, alice))
	if user, _ := loaded.User(); user != alice {
		b.Errorf("the session that was changed is %+v's", user)
	}
	b.expectUser(sess, alice)
	sess = b.signIn(b.again(sess), nameless) // what was known stays known
	b.expectUser(sess, alice)

	sess = b.signIn(nil, nameless)
	b.expectUser(b.signIn(b.again(sess), alice), alice)
	b.expectUser(b.signIn(b.signIn(nil, bob), nameless), nameless) // bob's profile is not alice's
}

// expectUser checks who is signed in, as another request of the client sees it.
func (b *bench) expectUser(sess *session.Session, want session.User) {
	b.Helper()
	if user, ok := b.again(sess).User(); !ok || user != want {
		b.Errorf("the session is %+v's, want %+v", user, want)
	}
}
