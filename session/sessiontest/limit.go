package sessiontest

import (
	"sync"
	"time"

	"countersign/session"
)

// maxSessions is how many sessions a person may have.
const maxSessions = 50

// signInOften signs user in n times on store, a second after each other, and returns the
// sessions in that order.
func (b *bench) signInOften(store *session.Store, user session.User, n int) []*session.Session {
	b.Helper()
	var made []*session.Session
	for range n {
		b.pass(time.Second)
		sess, err := store.SignIn(b.ctx(), session.SignIn{User: user, Method: "password", Client: laptop})
		b.must(err)
		made = append(made, sess)
	}
	return made
}

// expectOldestEnded checks that of sessions, in the order in which they began, the last
// are alive and listed, as many as there may be, and the others are over.
func (b *bench) expectOldestEnded(sessions []*session.Session) {
	b.Helper()
	over := len(sessions) - maxSessions
	for i, sess := range sessions {
		if _, ok := b.load(b.node(Keys...), sess.Token()); ok != (i >= over) {
			b.Errorf("session %d of %d is alive: %v", i+1, len(sessions), ok)
		}
	}
	if n := len(b.list(alice.ID)); n != maxSessions {
		b.Errorf("%d sessions are listed", n)
	}
}

func oldestEnds(b *bench) {
	foreign := b.signIn(nil, bob)
	made := b.signInOften(b.Store, alice, maxSessions)
	b.must(b.Touch(b.ctx(), b.again(made[0]))) // the oldest by when it began, not by its use
	pre := b.startPre()                        // is nobody's
	b.expectOldestEnded(made)
	b.must(b.Begin(b.ctx(), made[0], Ceremony("challenge")))
	made = append(made, b.signInOften(b.Store, alice, 1)...)
	b.expectOldestEnded(made)
	b.expectSpend(made[0], "challenge", Unknown)
	made = append(made, b.signInOften(b.Store, alice, 9)...)
	b.expectOldestEnded(made)
	b.alive(foreign.Token(), "another person has too many sessions")
	b.alive(pre.Token(), "it is on nobody's list")

	b.must(b.EndOthers(b.ctx(), made[len(made)-1]))
	b.must(b.SignOut(b.ctx(), made[len(made)-1]))
	b.must(b.SignOut(b.ctx(), pre))
	b.must(b.SignOut(b.ctx(), foreign))
	b.expectEmpty("after all of them were ended")
}

// overDoesNotCount: sessions that ended without anybody's doing make room.
func overDoesNotCount(b *bench) {
	oldest := b.signIn(nil, alice)
	b.signInOften(b.Store, alice, maxSessions-1)
	b.pass(Idle / 2)
	b.must(b.Touch(b.ctx(), b.again(oldest)))
	b.pass(Idle / 2)
	b.signInOften(b.Store, alice, maxSessions-1)
	b.alive(oldest.Token(), "there is room for it")
	if n := len(b.list(alice.ID)); n != maxSessions {
		b.Errorf("%d sessions are listed", n)
	}
	b.signInOften(b.Store, alice, 1)
	b.gone(oldest.Token(), "it is the oldest of too many")
}

func oldestEndsAtOnce(b *bench) {
	made := b.signInOften(b.Store, alice, maxSessions-5)
	b.pass(time.Second)
	b.expectOldestEnded(append(made, b.signInAtOnce(20)...))
}

// signInAtOnce signs alice in n times at the same time, on two nodes.
func (b *bench) signInAtOnce(n int) []*session.Session {
	b.Helper()
	nodes := []*session.Store{b.Store, b.node(Keys[0])}
	made := make([]*session.Session, n)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			var err error
			made[i], err = nodes[i%2].SignIn(b.ctx(), session.SignIn{User: alice, Method: "password", Client: laptop})
			if err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return made
}

// equallyOld: where none is the oldest, any of them ends; whoever comes last is in.
func equallyOld(b *bench) {
	b.signInAtOnce(maxSessions + 10)
	last := b.signIn(nil, alice)
	b.alive(last.Token(), "it was just begun")
	if n := len(b.list(alice.ID)); n > maxSessions || n < maxSessions/2 {
		b.Errorf("%d sessions are listed", n)
	}
}

// rotationEndsNoOther: a session that goes on under a new token is not one more.
func rotationEndsNoOther(b *bench) {
	made := b.signInOften(b.Store, alice, maxSessions)
	for range 3 {
		made[0] = b.signIn(b.again(made[0]), alice)
	}
	rotated := make([]*session.Session, len(made))
	var rotations []func() error
	for i, sess := range made[:10] {
		mine := b.again(sess)
		rotations = append(rotations, func() (err error) {
			rotated[i], err = b.SignIn(b.ctx(), session.SignIn{Old: mine, User: alice, Method: "fido2", Client: laptop})
			return err
		})
	}
	b.atOnce(rotations...)
	copy(rotated[10:], made[10:])
	b.expectOldestEnded(rotated)
}

// countUnderEveryKey counts while the session keys are changed.
func countUnderEveryKey(b *bench) {
	before, both, after := b.node(Keys[0]), b.node(Keys[0], Keys[1]), b.node(Keys[1], Keys[0])
	made := b.signInOften(before, alice, 20)
	made = append(made, b.signInOften(both, alice, 10)...)
	made = append(made, b.signInOften(after, alice, 25)...)
	for i, sess := range made {
		if _, ok := b.load(after, sess.Token()); ok != (i >= 5) {
			b.Errorf("session %d of %d is alive: %v", i+1, len(made), ok)
		}
	}
	if list, err := both.List(b.ctx(), alice.ID); err != nil || len(list) != maxSessions {
		b.Errorf("%d sessions are listed, %v", len(list), err)
	}
	made = append(made, b.signInOften(both, alice, 1)...) // a node that still seals with the old key
	if _, ok := b.load(after, made[5].Token()); ok {
		b.Error("a session under the old key is alive beyond the limit")
	}
}
