package sessiontest

import (
	"sync"
	"time"

	"countersign/session"
)

// maxSessions is the store's limit on the sessions of a person.
const maxSessions = 50

// signInOften signs user in n times on store, many within each second, and returns the
// sessions in that order.
func (f *fixture) signInOften(store *session.Store, user session.User, n int) []*session.Session {
	f.Helper()
	var made []*session.Session
	for range n {
		f.pass(20 * time.Millisecond)
		sess, err := store.SignIn(f.ctx(), session.SignIn{User: user, Method: "password", Client: laptop})
		f.must(err)
		made = append(made, sess)
	}
	return made
}

// expectOldestEnded checks, for sessions in the order of their beginning, that the last
// ones up to the limit are alive and listed, and the others are over.
func (f *fixture) expectOldestEnded(sessions []*session.Session) {
	f.Helper()
	over := len(sessions) - maxSessions
	for i, sess := range sessions {
		if _, ok := f.load(f.node(Keys...), sess.Token()); ok != (i >= over) {
			f.Errorf("session %d of %d is alive: %v", i+1, len(sessions), ok)
		}
	}
	if n := len(f.list(alice.ID)); n != maxSessions {
		f.Errorf("%d sessions are listed", n)
	}
}

func oldestEnds(f *fixture) {
	foreign := f.signIn(nil, bob)
	made := f.signInOften(f.Store, alice, maxSessions)
	f.must(f.Touch(f.ctx(), f.again(made[0]))) // the oldest is found by its beginning, not by its last use
	pre := f.startPre()                        // belongs to nobody
	f.expectOldestEnded(made)
	f.must(f.Put(f.ctx(), made[0], Ceremony("challenge")))
	made = append(made, f.signInOften(f.Store, alice, 1)...)
	f.expectOldestEnded(made)
	f.expectSpend(made[0], "challenge", Unknown)
	made = append(made, f.signInOften(f.Store, alice, 9)...)
	f.expectOldestEnded(made)
	f.alive(foreign.Token(), "another person has too many sessions")
	f.alive(pre.Token(), "it is on nobody's list")

	f.must(f.EndOthers(f.ctx(), made[len(made)-1]))
	f.must(f.SignOut(f.ctx(), made[len(made)-1]))
	f.must(f.SignOut(f.ctx(), pre))
	f.must(f.SignOut(f.ctx(), foreign))
	f.expectEmpty("after all of them were ended")
}

// overDoesNotCount: sessions that expired do not count.
func overDoesNotCount(f *fixture) {
	oldest := f.signIn(nil, alice)
	f.signInOften(f.Store, alice, maxSessions-1)
	f.pass(Idle / 2)
	f.must(f.Touch(f.ctx(), f.again(oldest)))
	f.pass(Idle / 2)
	f.signInOften(f.Store, alice, maxSessions-1)
	f.alive(oldest.Token(), "there is room for it")
	if n := len(f.list(alice.ID)); n != maxSessions {
		f.Errorf("%d sessions are listed", n)
	}
	f.signInOften(f.Store, alice, 1)
	f.gone(oldest.Token(), "it is the oldest of too many")
}

func oldestEndsAtOnce(f *fixture) {
	made := f.signInOften(f.Store, alice, maxSessions-5)
	f.pass(time.Second)
	f.expectOldestEnded(append(made, f.signInAtOnce(20)...))
}

// signInAtOnce signs alice in n times at the same time, on two nodes.
func (f *fixture) signInAtOnce(n int) []*session.Session {
	f.Helper()
	nodes := []*session.Store{f.Store, f.node(Keys[0])}
	made := make([]*session.Session, n)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			var err error
			made[i], err = nodes[i%2].SignIn(f.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
			if err != nil {
				f.Error(err)
			}
		})
	}
	wg.Wait()
	if f.Failed() {
		f.FailNow() // not all of them were made
	}
	return made
}

// equallyOld: of sessions equally old, any may end, but never the newest sign-in.
func equallyOld(f *fixture) {
	f.signInAtOnce(maxSessions + 10)
	last := f.signIn(nil, alice)
	f.alive(last.Token(), "it was just begun")
	if n := len(f.list(alice.ID)); n > maxSessions || n < maxSessions/2 {
		f.Errorf("%d sessions are listed", n)
	}
}

// rotationEndsNoOther: a session that continues under a new token does not count twice.
func rotationEndsNoOther(f *fixture) {
	made := f.signInOften(f.Store, alice, maxSessions)
	for range 3 {
		made[0] = f.signIn(f.again(made[0]), alice)
	}
	rotated := make([]*session.Session, len(made))
	var rotations []func() error
	for i, sess := range made[:10] {
		mine := f.again(sess)
		rotations = append(rotations, func() (err error) {
			rotated[i], err = f.SignIn(f.ctx(), session.SignIn{Old: mine, User: alice, Method: "fido2", Client: laptop})
			return err
		})
	}
	f.atOnce(rotations...)
	copy(rotated[10:], made[10:])
	f.expectOldestEnded(rotated)
}

// countUnderEveryKey counts while the session keys are changed.
func countUnderEveryKey(f *fixture) {
	before, both, after := f.node(Keys[0]), f.node(Keys[0], Keys[1]), f.node(Keys[1], Keys[0])
	made := f.signInOften(before, alice, 20)
	made = append(made, f.signInOften(both, alice, 10)...)
	made = append(made, f.signInOften(after, alice, 25)...)
	for i, sess := range made {
		if _, ok := f.load(after, sess.Token()); ok != (i >= 5) {
			f.Errorf("session %d of %d is alive: %v", i+1, len(made), ok)
		}
	}
	if list, err := both.List(f.ctx(), alice.ID); err != nil || len(list) != maxSessions {
		f.Errorf("%d sessions are listed, %v", len(list), err)
	}
	made = append(made, f.signInOften(both, alice, 1)...) // made by a node that still seals with the old key
	if _, ok := f.load(after, made[5].Token()); ok {
		f.Error("a session under the old key is alive beyond the limit")
	}
}
