package sessiontest

import (
	"strconv"
	"sync"
	"time"

	"countersign/internal/fault"
	"countersign/session"
)

func rotationCarries(b *bench) {
	old := b.signIn(nil, alice)
	b.must(b.Begin(b.ctx(), old, Ceremony("open")))
	b.must(b.Begin(b.ctx(), old, Ceremony("spent")))
	short := Ceremony("short")
	short.Expiry = b.clock.Now().Add(time.Minute)
	b.must(b.Begin(b.ctx(), old, short))
	b.must(b.Begin(b.ctx(), old, push("request")))
	b.expectSpend(old, "spent", Found)

	sess := b.signIn(b.again(old), alice)
	for _, challenge := range []string{"open", "spent", "short"} {
		b.expectSpend(old, challenge, Unknown)
	}
	b.expectSpendPush(old, "request", Unknown)
	again := b.signIn(b.again(sess), alice) // and carries a second time
	b.expectSpend(again, "spent", Spent)
	b.expectSpend(again, "open", Found)
	b.expectSpend(again, "open", Spent)
	b.expectSpendPush(again, "request", Found)
	b.pass(time.Minute)
	b.expectSpend(again, "short", Unknown)
	b.must(b.SignOut(b.ctx(), again))
	b.expectEmpty("after signing out")
}

// notUnderTwoTokens spends under the old token while the session rotates, and then
// under the new one: one of them gets the ceremony, whatever came first.
func notUnderTwoTokens(b *bench) {
	for round := range 40 {
		challenge := strconv.Itoa(round)
		old := b.signIn(nil, alice)
		b.must(b.Begin(b.ctx(), old, Ceremony(challenge)))
		spender, rotator := b.again(old), b.again(old)
		var before Outcome
		var sess *session.Session
		b.atOnce(
			func() (err error) {
				before, err = Spend(b.ctx(), b.Store, spender, challenge)
				return err
			},
			func() (err error) {
				sess, err = b.SignIn(b.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				return err
			})
		after, err := Spend(b.ctx(), b.Store, sess, challenge)
		b.must(err)
		switch {
		case before == Found && after == Spent:
		case before == Unknown && after == Found:
		default:
			b.Errorf("round %d: under the old token %d, under the new %d", round, before, after)
		}
	}
}

// begunWhileRotating begins a ceremony under the old token while the session rotates:
// either that is refused, or the ceremony is there under the new token.
func begunWhileRotating(b *bench) {
	for round := range 40 {
		challenge := strconv.Itoa(round)
		old := b.signIn(nil, alice)
		beginner, rotator := b.again(old), b.again(old)
		var begun error
		var sess *session.Session
		b.atOnce(
			func() error {
				begun = b.Begin(b.ctx(), beginner, Ceremony(challenge))
				return nil
			},
			func() (err error) {
				sess, err = b.SignIn(b.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				return err
			})
		switch {
		case begun == nil:
			b.expectSpend(sess, challenge, Found)
		case fault.Is(begun, fault.SessionRequired):
			b.expectSpend(sess, challenge, Unknown)
		default:
			b.Errorf("round %d: %v", round, begun)
		}
		b.must(b.SignOut(b.ctx(), sess))
		b.expectEmpty("after signing out")
	}
}

// endWhileRotating ends a session by its id while it rotates: the id leads to it
// under whichever token it is, unless it got out before, as a new sign-in.
func endWhileRotating(b *bench) {
	for range 40 {
		old := b.signIn(nil, alice)
		rotator := b.again(old)
		var ended bool
		var sess *session.Session
		b.atOnce(
			func() (err error) {
				ended, err = b.End(b.ctx(), alice.ID, old.ID())
				return err
			},
			func() error {
				var err error
				sess, err = b.SignIn(b.ctx(), session.SignIn{Old: rotator, User: alice, Method: "fido2", Client: laptop})
				if fault.Is(err, fault.SessionRequired) { // ended before anybody had its token
					return nil
				}
				return err
			})
		if !ended {
			b.Error("a session that rotates is not found by its id")
		}
		b.gone(old.Token(), "it was ended and rotated")
		for _, listed := range b.list(alice.ID) {
			if listed.ID == old.ID() {
				b.Error("the id is listed after it was ended")
			}
		}
		if sess != nil {
			if loaded, ok := b.load(b.Store, sess.Token()); ok && loaded.ID() == old.ID() {
				b.Error("a session goes on from one that was ended")
			}
			b.must(b.SignOut(b.ctx(), sess))
		}
	}
}

// atOnce does all of it at the same time.
func (b *bench) atOnce(do ...func() error) {
	b.Helper()
	errs := make([]error, len(do))
	var wg sync.WaitGroup
	for i, do := range do {
		wg.Go(func() { errs[i] = do() })
	}
	wg.Wait()
	for _, err := range errs {
		b.must(err)
	}
}
