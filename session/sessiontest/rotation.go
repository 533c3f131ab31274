package sessiontest

import (
	"strconv"
	"sync"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func rotationCarries(f *fixture) {
	old := f.signIn(nil, alice)
	f.must(f.Put(f.ctx(), old, Ceremony("open")))
	f.must(f.Put(f.ctx(), old, Ceremony("spent")))
	short := Ceremony("short")
	short.Expiry = f.clock.Now().Add(time.Minute)
	f.must(f.Put(f.ctx(), old, short))
	f.must(f.Put(f.ctx(), old, push("request")))
	f.expectSpend(old, "spent", Found)

	sess := f.signIn(f.again(old), alice)
	for _, challenge := range []string{"open", "spent", "short"} {
		f.expectSpend(old, challenge, Unknown)
	}
	f.expectSpendPush(old, "request", Unknown)
	again := f.signIn(f.again(sess), alice) // carries the records a second time
	f.expectSpend(again, "spent", Spent)
	f.expectSpend(again, "open", Found)
	f.expectSpend(again, "open", Spent)
	f.expectSpendPush(again, "request", Found)
	f.pass(time.Minute)
	f.expectSpend(again, "short", Unknown)
	f.must(f.SignOut(f.ctx(), again))
	f.expectEmpty("after signing out")
}

// notUnderTwoTokens spends under the old token while the session rotates, and then under
// the new one: one of them gets the ceremony, in either order.
func notUnderTwoTokens(f *fixture) {
	for round := range 40 {
		challenge := strconv.Itoa(round)
		old := f.signIn(nil, alice)
		f.must(f.Put(f.ctx(), old, Ceremony(challenge)))
		spender, rotator := f.again(old), f.again(old)
		var before Outcome
		var sess *session.Session
		f.atOnce(
			func() (err error) {
				before, err = Spend(f.ctx(), f.Store, spender, challenge)
				return err
			},
			func() (err error) {
				sess, err = f.SignIn(f.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				return err
			})
		after, err := Spend(f.ctx(), f.Store, sess, challenge)
		f.must(err)
		switch {
		case before == Found && after == Spent:
		case before == Unknown && after == Found:
		default:
			f.Errorf("round %d: under the old token %d, under the new %d", round, before, after)
		}
	}
}

// begunWhileRotating begins a ceremony under the old token while the session rotates:
// either it is refused, or the ceremony is there under the new token.
func begunWhileRotating(f *fixture) {
	for round := range 40 {
		challenge := strconv.Itoa(round)
		old := f.signIn(nil, alice)
		beginner, rotator := f.again(old), f.again(old)
		var begun error
		var sess *session.Session
		f.atOnce(
			func() error {
				begun = f.Put(f.ctx(), beginner, Ceremony(challenge))
				return nil
			},
			func() (err error) {
				sess, err = f.SignIn(f.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				return err
			})
		switch {
		case begun == nil:
			f.expectSpend(sess, challenge, Found)
		case fault.Is(begun, fault.SessionRequired):
			f.expectSpend(sess, challenge, Unknown)
		default:
			f.Errorf("round %d: %v", round, begun)
		}
		f.must(f.SignOut(f.ctx(), sess))
		f.expectEmpty("after signing out")
	}
}

// endWhileRotating ends a session by its id while it rotates: the id finds it under
// either token, unless the sign-in has become a new session before.
func endWhileRotating(f *fixture) {
	for range 40 {
		old := f.signIn(nil, alice)
		rotator := f.again(old)
		var ended bool
		var sess *session.Session
		f.atOnce(
			func() (err error) {
				ended, err = f.End(f.ctx(), alice.ID, old.ID())
				return err
			},
			func() error {
				var err error
				sess, err = f.SignIn(f.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				if fault.Is(err, fault.SessionRequired) { // ended before the client had its token
					return nil
				}
				return err
			})
		if !ended {
			f.Error("a session that rotates is not found by its id")
		}
		f.gone(old.Token(), "it was ended and rotated")
		for _, listed := range f.list(alice.ID) {
			if listed.ID == old.ID() {
				f.Error("the id is listed after it was ended")
			}
		}
		if sess != nil {
			if loaded, ok := f.load(f.Store, sess.Token()); ok && loaded.ID() == old.ID() {
				f.Error("a session goes on from one that was ended")
			}
			f.must(f.SignOut(f.ctx(), sess))
		}
	}
}

// atOnce runs all functions at the same time.
func (f *fixture) atOnce(do ...func() error) {
	f.Helper()
	errs := make([]error, len(do))
	var wg sync.WaitGroup
	for i, do := range do {
		wg.Go(func() { errs[i] = do() })
	}
	wg.Wait()
	for _, err := range errs {
		f.must(err)
	}
}

// passkeyStays signs in by a passkey, then by a password, then as somebody else.
func passkeyStays(f *fixture) {
	sess := f.signIn(nil, alice)
	if _, ok := sess.Passkey(); ok {
		f.Error("a password is a passkey")
	}
	f.pass(10 * time.Second)
	used := f.clock.Now().Unix()
	sess, err := f.SignIn(f.ctx(), session.SignIn{
		Old: f.again(sess), User: alice, Method: "uaf", Client: laptop, Passkey: &session.Passkey{Protocol: "UAF11", AAID: "4E4E#4005", Ceremony: []byte("digest")},
	})
	f.must(err)
	f.pass(10 * time.Second)
	sess = f.signIn(f.again(sess), alice)
	if got, ok := sess.Passkey(); !ok || got.At.Unix() != used || got.Protocol != "UAF11" || got.AAID != "4E4E#4005" || string(got.Ceremony) != "digest" {
		f.Errorf("after a password it is %+v, %t", got, ok)
	}
	if _, ok := f.signIn(f.again(sess), bob).Passkey(); ok {
		f.Error("it is somebody else's")
	}
}
