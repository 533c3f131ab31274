package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

// TestLimitStepByStep lets an event happen before each single round trip of a sign-in of
// somebody with the maximum of sessions: in the end there are as many, all of them
// listed, and the new one is among them.
func TestLimitStepByStep(t *testing.T) {
	db := open(t, redisdb.Options{Embedded: true, Now: time.Now})
	steps := &steps{}
	db.Client.AddHook(steps)
	clock := &sessiontest.Clock{}
	store := newStore(t, db, clock.Now)
	for name, event := range map[string]struct {
		do   func(oldest, other *session.Session)
		want int
	}{
		// A renewed session is not ended by its own sign-in; instead the next oldest may
		// end.
		"the oldest rotates":      {func(oldest, _ *session.Session) { signIn(t, store, oldest, alice) }, 49},
		"another rotates":         {func(_, other *session.Session) { signIn(t, store, other, alice) }, 50},
		"another sign-in":         {func(_, _ *session.Session) { signIn(t, store, nil, alice) }, 50},
		"the oldest signs out":    {func(oldest, _ *session.Session) { signOut(t, store, oldest) }, 49},
		"another signs out":       {func(_, other *session.Session) { signOut(t, store, other) }, 49},
		"somebody else's sign-in": {func(_, _ *session.Session) { signOut(t, store, signIn(t, store, nil, bob)) }, 50},
	} {
		for step, reached := 1, true; reached; step++ {
			t.Run(name, func(t *testing.T) {
				var made []*session.Session
				for range 50 {
					made = append(made, signIn(t, store, nil, alice))
					clock.Advance(time.Second)
				}
				oldest, other := load(t, store, made[0]), load(t, store, made[25])
				steps.before(step, func() { event.do(oldest, other) })
				next := signIn(t, store, nil, alice)
				reached = steps.forget()
				load(t, store, next)
				expectSessions(t, store, db, event.want)
				endOthers(t, store, next)
				cleanUp(t, store, db, next)
			})
		}
	}
}

// expectSessions checks that want sessions are alive, or one more, 50 at most, and that
// each is listed.
func expectSessions(t *testing.T, store *session.Store, db *redisdb.DB, want int) {
	t.Helper()
	list, err := store.List(t.Context(), alice.ID)
	alive := 0
	redistest.EachKey(t, db.Client, func(_ context.Context, _ *redis.Client, key string) {
		if strings.HasPrefix(key, "cs:{") {
			alive++
		}
	})
	if err != nil || len(list) != alive || alive > 50 || alive < want || alive > want+1 {
		t.Errorf("%d sessions are alive and %d listed, %v; want %d", alive, len(list), err, want)
	}
}

// TestEndingIsAFewRoundTrips checks that ending many sessions takes as many round trips
// as ending a few, with one key and while keys are changed.
func TestEndingIsAFewRoundTrips(t *testing.T) {
	for name, n := range map[string]int{"one key": 1, "two keys": 2} {
		t.Run(name, func(t *testing.T) {
			db := open(t, redisdb.Options{Embedded: true, Now: time.Now})
			o := options(db, time.Now)
			o.Keys = sessiontest.Keys[:n]
			store, err := session.NewStore(o)
			if err != nil {
				t.Fatal(err)
			}
			counter := &counter{}
			db.Client.AddHook(counter)
			mine := signIn(t, store, nil, alice)
			var asked []int32
			for _, others := range []int{1, 48} {
				for range others {
					begin(t, store, signIn(t, store, nil, alice), "challenge")
				}
				before := counter.asked.Load()
				endOthers(t, store, mine)
				asked = append(asked, counter.asked.Load()-before)
				expectSessions(t, store, db, 1)
			}
			if asked[0] != asked[1] || asked[0] > 4 {
				t.Errorf("to end 1 and 48 sessions takes %d round trips", asked)
			}
		})
	}
}
