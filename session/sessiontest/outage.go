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

// Outage takes a Redis away, in a way that take and giveBack know, and checks that
// nobody is told they are signed out: every verb says so within a second, and when
// Redis is back everybody is who they were.
func Outage(t *testing.T, client redis.UniversalClient, take, giveBack func()) {
	b := newBench(t, Backend{Client: client})
	flush(t, client)
	verbs := b.verbs()
	kept := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), kept, Ceremony("kept")))
	for range 20 { // as many connections as the verbs will want
		b.again(kept)
	}

	take()
	var wg sync.WaitGroup
	for name, verb := range verbs {
		wg.Go(func() { b.expectOutage(name, verb) })
	}
	wg.Wait()
	for name, text := range WrongSpellings(kept.Token()) {
		if _, ok, err := b.Load(bearer(text)); ok || err != nil {
			t.Errorf("a token that is %s is asked of Redis: %v, %v", name, ok, err)
		}
	}
	if _, ok, err := b.Load(httptest.NewRequest(http.MethodGet, "/", nil)); ok || err != nil {
		t.Errorf("a request without a token is asked of Redis: %v, %v", ok, err)
	}

	giveBack()
	redistest.Eventually(t, "the session is there again", func() bool {
		sess, ok, err := b.Load(bearer(kept.Token()))
		if err == nil && !ok {
			t.Fatal("after the outage the session is absent")
		}
		return err == nil && sess.ID() == kept.ID()
	})
	b.expectSpend(kept, "kept", Found)
	b.must(b.SignOut(b.ctx(), b.again(kept)))
	b.gone(kept.Token(), "it was signed out after the outage")
}

// verbs is everything that a store is asked, each with a session of its own: what
// was sent to a Redis that stalls is done when it goes on.
func (b *bench) verbs() map[string]func() error {
	mine := func() *session.Session { return b.signIn(nil, alice) }
	touched := mine()
	b.clock.Advance(Idle / 2)
	sess, renewed, replaced, signedOut, lonely := mine(), mine(), mine(), mine(), b.signIn(nil, bob)
	return map[string]func() error{
		"Load":        func() error { _, _, err := b.Load(bearer(sess.Token())); return err },
		"Load cookie": func() error { _, _, err := b.Load(withCookie(CookieName, sess.Token())); return err },
		"New":         func() error { _, err := b.New(withCookie(CookieName, sess.Token()), CookieName); return err },
		"Touch":       func() error { return b.Touch(b.ctx(), touched) },
		"StartPre":    func() error { _, err := b.StartPre(b.ctx(), false); return err },
		"SignIn": func() error {
			_, err := b.SignIn(b.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
			return err
		},
		"SignIn same": func() error {
			_, err := b.SignIn(b.ctx(), session.SignIn{Old: renewed, User: alice, Method: "password", Client: laptop})
			return err
		},
		"SignIn other": func() error {
			_, err := b.SignIn(b.ctx(), session.SignIn{Old: replaced, User: bob, Method: "password", Client: laptop})
			return err
		},
		"SetLanguage": func() error { return b.SetLanguage(b.ctx(), sess, "de") },
		"SetUser":     func() error { return b.SetUser(b.ctx(), touched, bob) },
		"SignOut":     func() error { return b.SignOut(b.ctx(), signedOut) },
		"List":        func() error { _, err := b.List(b.ctx(), alice.ID); return err },
		"End":         func() error { _, err := b.End(b.ctx(), alice.ID, signedOut.ID()); return err },
		"EndOthers":   func() error { return b.EndOthers(b.ctx(), lonely) },
		"Begin":       func() error { return b.Begin(b.ctx(), lonely, Ceremony("begun")) },
		"Spend":       func() error { return b.Spend(b.ctx(), sess, Ceremony("none")) },
		"Peek":        func() error { return b.Peek(b.ctx(), sess, push("none")) },
	}
}

// expectOutage checks that what a verb says of an outage is that, and prompt.
func (b *bench) expectOutage(name string, verb func() error) {
	begin := time.Now()
	err := verb()
	if took := time.Since(begin); took > time.Second {
		b.Errorf("%s: the answer took %v", name, took)
	}
	var outage *fault.Error
	if !errors.As(err, &outage) || outage.Key != fault.SessionUnavailable {
		b.Errorf("%s: %v, want an outage", name, err)
		return
	}
	if outage.RetryAfter < time.Second || outage.RetryAfter > 5*time.Second {
		b.Errorf("%s: try again after %v", name, outage.RetryAfter)
	}
	if outage.Unwrap() == nil {
		b.Errorf("%s: the outage has no cause", name)
	}
}
