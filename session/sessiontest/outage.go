package sessiontest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

// Outage takes a Redis away by take, and back by giveBack, and checks that nobody is
// reported as signed out: every verb returns an outage promptly, and once Redis is back
// every session is as before.
func Outage(t *testing.T, client redis.Cmdable, take, giveBack func()) {
	f := newFixture(t, Backend{Client: client})
	redistest.Flush(t, client)
	verbs := f.verbs()
	kept := f.signIn(nil, alice)
	f.must(f.Put(f.ctx(), kept, Ceremony("kept")))
	for range 20 { // as many connections as the verbs will want
		f.again(kept)
	}

	take()
	watch := redistest.NewStopwatch(t)
	var wg sync.WaitGroup
	for name, verb := range verbs {
		wg.Go(func() { f.expectOutage(watch, name, verb) })
	}
	wg.Wait()
	for name, text := range WrongSpellings(kept.Token()) {
		if _, ok, err := f.Load(bearer(text)); ok || err != nil {
			t.Errorf("a token that is %s is asked of Redis: %v, %v", name, ok, err)
		}
	}
	if _, ok, err := f.Load(httptest.NewRequest(http.MethodGet, "/", nil)); ok || err != nil {
		t.Errorf("a request without a token is asked of Redis: %v, %v", ok, err)
	}

	giveBack()
	redistest.Eventually(t, "the session is there again", func() bool {
		sess, ok, err := f.Load(bearer(kept.Token()))
		if err == nil && !ok {
			t.Fatal("after the outage the session is absent")
		}
		return err == nil && sess.ID() == kept.ID()
	})
	f.expectSpend(kept, "kept", Found)
	f.must(f.SignOut(f.ctx(), f.again(kept)))
	f.gone(kept.Token(), "it was signed out after the outage")
}

// verbs returns every verb of a store, each with a separate session, because commands
// sent to a stalled Redis run once it resumes.
func (f *fixture) verbs() map[string]func() error {
	mine := func() *session.Session { return f.signIn(nil, alice) }
	touched := mine()
	f.clock.Advance(Idle / 2)
	sess, renewed, replaced, signedOut, lonely := mine(), mine(), mine(), mine(), f.signIn(nil, bob)
	return map[string]func() error{
		"Load":        func() error { _, _, err := f.Load(bearer(sess.Token())); return err },
		"Load cookie": func() error { _, _, err := f.Load(withCookie(CookieName, sess.Token())); return err },
		"New":         func() error { _, err := f.New(withCookie(CookieName, sess.Token()), CookieName); return err },
		"Touch":       func() error { return f.Touch(f.ctx(), touched) },
		"StartPre":    func() error { _, err := f.StartPre(f.ctx(), false, nil); return err },
		"SignIn": func() error {
			_, err := f.SignIn(f.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
			return err
		},
		"SignIn same": func() error {
			_, err := f.SignIn(f.ctx(), session.SignIn{Old: renewed, User: alice, Method: "password", Client: laptop})
			return err
		},
		"SignIn other": func() error {
			_, err := f.SignIn(f.ctx(), session.SignIn{Old: replaced, User: bob, Method: "password", Client: laptop})
			return err
		},
		"SetLanguage": func() error { return f.SetLanguage(f.ctx(), sess, "de") },
		"SetUser":     func() error { return f.SetUser(f.ctx(), touched, bob) },
		"SignOut":     func() error { return f.SignOut(f.ctx(), signedOut) },
		"List":        func() error { _, err := f.List(f.ctx(), alice.ID); return err },
		"End":         func() error { _, err := f.End(f.ctx(), alice.ID, signedOut.ID()); return err },
		"EndOthers":   func() error { return f.EndOthers(f.ctx(), lonely) },
		"Begin":       func() error { return f.Put(f.ctx(), lonely, Ceremony("begun")) },
		"Spend":       func() error { return f.Consume(f.ctx(), sess, Ceremony("none")) },
		"Peek":        func() error { return f.Peek(f.ctx(), sess, push("none")) },
	}
}

// prompt limits how long a verb takes to report an outage: its time-out is 0.8 s, and the
// margin is for a busy machine.
const prompt = 2500 * time.Millisecond

// expectOutage checks that a verb returns an outage, and promptly.
func (f *fixture) expectOutage(watch *redistest.Stopwatch, name string, verb func() error) {
	took, err := watch.Time(verb)
	if took > prompt {
		f.Errorf("%s: the answer took %v", name, took)
	}
	var outage *fault.Error
	if !errors.As(err, &outage) || outage.Key != fault.SessionUnavailable {
		f.Errorf("%s: %v, want an outage", name, err)
		return
	}
	if outage.RetryAfter < time.Second || outage.RetryAfter > 5*time.Second {
		f.Errorf("%s: try again after %v", name, outage.RetryAfter)
	}
	if outage.Unwrap() == nil {
		f.Errorf("%s: the outage has no cause", name)
	}
}
