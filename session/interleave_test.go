package session_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

var (
	alice = session.User{ID: "alice@sandbox"}
	bob   = session.User{ID: "bob@sandbox"}
)

// TestRotation_EventBetweenSteps lets an event happen on another node before each single round
// trip of a rotation. For every event and step, a ceremony is spent once, no begun
// ceremony is lost, no ended session lives, and nothing is left behind.
func TestRotation_EventBetweenSteps(t *testing.T) {
	db := dbtest.Embedded(t)
	steps := &steps{}
	db.Client.AddHook(steps)
	store := newStore(t, db, time.Now)
	for name, event := range events {
		for step, reached := 1, true; reached; step++ {
			t.Run(name, func(t *testing.T) {
				old := signIn(t, store, nil, alice)
				begin(t, store, old, "before")
				rotator, other := load(t, store, old), load(t, store, old)
				var check func(t *testing.T, next *session.Session)
				steps.before(step, func() { check = event(t, store, other) })
				next, err := store.SignIn(t.Context(), session.SignIn{Old: rotator, User: alice, Method: "fido2"})
				reached = steps.forget()
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				if _, ok, err := store.Load(bearer(old)); ok || err != nil {
					t.Errorf("step %d: the old token opens a session, %v", step, err)
				}
				if check != nil {
					check(t, next)
				}
				cleanUp(t, store, db, next)
			})
		}
	}
}

// TestRotation_ResponseLost loses the answer to each single round trip of a rotation,
// which Redis has carried out. Nobody is signed out by it: the new token opens a session,
// or, where the sign-in says that Redis was away, the old one does.
func TestRotation_ResponseLost(t *testing.T) {
	db := dbtest.Embedded(t)
	steps := &steps{}
	db.Client.AddHook(steps)
	store := newStore(t, db, time.Now)
	for step, reached := 1, true; reached; step++ {
		old := signIn(t, store, nil, alice)
		begin(t, store, old, "before")
		rotator := load(t, store, old)
		steps.lose(step)
		next, err := store.SignIn(t.Context(), session.SignIn{Old: rotator, User: alice, Method: "fido2"})
		reached = steps.forget()
		switch {
		case err == nil:
			load(t, store, next)
			if _, ok, err := store.Load(bearer(old)); ok || err != nil {
				t.Errorf("step %d: the old token opens a session, %v", step, err)
			}
		case fault.Is(err, fault.SessionUnavailable):
			if _, ok, err := store.Load(bearer(old)); !ok {
				t.Errorf("step %d: a lost answer signed somebody out, %v", step, err)
			}
		default:
			t.Errorf("step %d: %v", step, err)
		}
	}
}

// events may happen during a rotation. Each returns a check of the session that comes out
// of the rotation.
var events = map[string]func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session){
	"nothing": func(*testing.T, *session.Store, *session.Session) func(*testing.T, *session.Session) {
		return func(*testing.T, *session.Session) {}
	},
	"spend": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		before := spend(t, store, old, "before")
		return func(t *testing.T, next *session.Session) {
			after := spend(t, store, next, "before")
			if (before != sessiontest.Found || after != sessiontest.Spent) && (before != sessiontest.Unknown || after != sessiontest.Found) {
				t.Errorf("under the old token %d, under the new %d", before, after)
			}
		}
	},
	"begin": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		err := store.Put(t.Context(), old, sessiontest.Ceremony("meanwhile"))
		return func(t *testing.T, next *session.Session) {
			want := sessiontest.Found
			if fault.Is(err, fault.SessionRequired) {
				want = sessiontest.Unknown
			} else if err != nil {
				t.Error(err)
			}
			if got := spend(t, store, next, "meanwhile"); got != want {
				t.Errorf("begun with %v, found %d", err, got)
			}
		}
	},
	"set the language": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		err := store.SetLanguage(t.Context(), old, "de")
		return func(t *testing.T, next *session.Session) {
			if got := load(t, store, next).Language(); (got == "de") != (err == nil) || err != nil && !fault.Is(err, fault.SessionRequired) {
				t.Errorf("set with %v, it is %q", err, got)
			}
		}
	},
	"sign out": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		if err := store.SignOut(t.Context(), old); err != nil {
			t.Error(err)
		}
		return func(t *testing.T, next *session.Session) {
			if loaded, ok, _ := store.Load(bearer(next)); ok && loaded.ID() == old.ID() && spend(t, store, next, "before") == sessiontest.Unknown {
				t.Error("a session goes on from one that was signed out")
			}
		}
	},
	"end by id": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		ended, err := store.End(t.Context(), alice.ID, old.ID())
		return func(t *testing.T, next *session.Session) {
			if loaded, ok, _ := store.Load(bearer(next)); !ended || err != nil || ok && loaded.ID() == old.ID() {
				t.Errorf("ended: %v, %v; what comes out lives under the same id: %v", ended, err, ok)
			}
		}
	},
	"end the others": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		mine := signIn(t, store, nil, alice)
		if err := store.EndOthers(t.Context(), mine); err != nil {
			t.Error(err)
		}
		return func(t *testing.T, next *session.Session) {
			if loaded, ok, _ := store.Load(bearer(next)); ok && loaded.ID() == old.ID() {
				t.Error("a session goes on from one that was ended")
			}
			if err := store.SignOut(t.Context(), mine); err != nil {
				t.Error(err)
			}
		}
	},
	"sign in too": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		second := signIn(t, store, old, alice)
		return func(t *testing.T, next *session.Session) {
			if load(t, store, second).ID() == load(t, store, next).ID() {
				t.Error("two sessions go on from one")
			}
			if spend(t, store, second, "before")+spend(t, store, next, "before") != sessiontest.Found+sessiontest.Unknown {
				t.Error("a ceremony went with both or with neither")
			}
			if err := store.SignOut(t.Context(), second); err != nil {
				t.Error(err)
			}
		}
	},
	"another user signs in": func(t *testing.T, store *session.Store, old *session.Session) func(*testing.T, *session.Session) {
		theirs := signIn(t, store, old, bob)
		return func(t *testing.T, next *session.Session) {
			if got := spend(t, store, theirs, "before"); got != sessiontest.Unknown {
				t.Errorf("another user's session has the ceremony: %d", got)
			}
			if err := store.SignOut(t.Context(), theirs); err != nil {
				t.Error(err)
			}
		}
	},
}

// TestEnding_RotationBetweenSteps lets a session rotate before each single round trip of a call that
// ends it: the session does not survive under its new token.
func TestEnding_RotationBetweenSteps(t *testing.T) {
	db := dbtest.Embedded(t)
	steps := &steps{}
	db.Client.AddHook(steps)
	store := newStore(t, db, time.Now)
	for name, end := range map[string]func(target, mine *session.Session) error{
		"end by id": func(target, _ *session.Session) error {
			_, err := store.End(t.Context(), alice.ID, target.ID())
			return err
		},
		"end the others": func(_, mine *session.Session) error { return store.EndOthers(t.Context(), mine) },
	} {
		for step, reached := 1, true; reached; step++ {
			t.Run(name, func(t *testing.T) {
				mine, target := signIn(t, store, nil, alice), signIn(t, store, nil, alice)
				rotator := load(t, store, target)
				var next *session.Session
				steps.before(step, func() { next = signIn(t, store, rotator, alice) })
				err := end(target, mine)
				reached = steps.forget()
				if err != nil {
					t.Fatal(err)
				}
				if _, ok, err := store.Load(bearer(target)); ok || err != nil {
					t.Errorf("step %d: the old token opens a session, %v", step, err)
				}
				if next != nil {
					loaded, ok, err := store.Load(bearer(next))
					if err != nil || ok && loaded.ID() == target.ID() {
						t.Errorf("step %d: the session got away: %v", step, err)
					}
					if err := store.SignOut(t.Context(), next); err != nil {
						t.Error(err)
					}
				}
				cleanUp(t, store, db, mine)
			})
		}
	}
}

// cleanUp signs next out and checks that Redis is empty.
func cleanUp(t *testing.T, store *session.Store, db *redisdb.DB, next *session.Session) {
	t.Helper()
	if err := store.SignOut(t.Context(), next); err != nil {
		t.Error(err)
	}
	if list, err := store.List(t.Context(), alice.ID); err != nil || len(list) != 0 {
		t.Errorf("listed in the end: %+v, %v", list, err)
	}
	redistest.EachKey(t, db.Client, func(ctx context.Context, node redis.Cmdable, key string) {
		t.Errorf("left behind: %q", key)
		node.Del(ctx, key)
	})
}

// steps does something before the nth round trip from now, or loses its answer.
type steps struct {
	left atomic.Int32
	do   func() // nil loses the answer
}

func (s *steps) before(n int, do func()) {
	s.do = do
	s.left.Store(int32(n))
}

func (s *steps) lose(n int) { s.before(n, nil) }

// forget cancels the action, and reports whether it was already done.
func (s *steps) forget() bool { return s.left.Swap(0) <= 0 }

func (*steps) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *steps) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return s.round(func() error { return next(ctx, cmd) }, cmd)
	}
}

func (s *steps) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return s.round(func() error { return next(ctx, cmds) }, cmds...)
	}
}

func (s *steps) round(trip func() error, cmds ...redis.Cmder) error {
	if s.left.Add(-1) != 0 {
		return trip()
	}
	if s.do != nil {
		s.do()
		return trip()
	}
	_ = trip()
	for _, cmd := range cmds {
		cmd.SetErr(io.ErrUnexpectedEOF)
	}
	return io.ErrUnexpectedEOF
}

func signOut(t *testing.T, store *session.Store, sess *session.Session) {
	t.Helper()
	if err := store.SignOut(t.Context(), sess); err != nil {
		t.Error(err)
	}
}

func endOthers(t *testing.T, store *session.Store, sess *session.Session) {
	t.Helper()
	if err := store.EndOthers(t.Context(), sess); err != nil {
		t.Error(err)
	}
}

func begin(t *testing.T, store *session.Store, sess *session.Session, challenge string) {
	t.Helper()
	if err := store.Put(t.Context(), sess, sessiontest.Ceremony(challenge)); err != nil {
		t.Fatal(err)
	}
}

func spend(t *testing.T, store *session.Store, sess *session.Session, challenge string) sessiontest.Outcome {
	t.Helper()
	outcome, err := sessiontest.Spend(t.Context(), store, sess, challenge)
	if err != nil {
		t.Error(err)
	}
	return outcome
}

func load(t *testing.T, store *session.Store, sess *session.Session) *session.Session {
	t.Helper()
	loaded, ok, err := store.Load(bearer(sess))
	if err != nil || !ok {
		t.Fatalf("load: %v, %v", ok, err)
	}
	return loaded
}
