package session_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal/sealtest"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

// TestLimit_EventBetweenSteps lets an event happen before each single round trip of a sign-in of
// somebody with the maximum of sessions: in the end there are as many, all of them
// listed, and the new one is among them.
func TestLimit_EventBetweenSteps(t *testing.T) {
	db := dbtest.Embedded(t)
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

// TestLimit_ConcurrentSignIns lets two sign-ins go step by step beside each other, after fifty of the
// same person that are newer by the clock: each of the two ends the other, and neither ends
// one of the fifty in its own place.
func TestLimit_ConcurrentSignIns(t *testing.T) {
	db := dbtest.Embedded(t)
	clock := &sessiontest.Clock{}
	store := newStore(t, db, clock.Now)
	clock.Advance(time.Minute)
	for range 50 {
		signIn(t, store, nil, alice)
		clock.Advance(time.Second)
	}
	clock.Advance(-2 * time.Minute)
	pace := newPace()
	db.Client.AddHook(pace)
	var both sync.WaitGroup
	for who := range 2 {
		both.Go(func() {
			defer pace.done(who)
			if _, err := store.SignIn(context.WithValue(t.Context(), walker{}, who), session.SignIn{User: alice, Method: "password"}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	expectSessions(t, store, db, 50)
}

// walker is the key of a context's number in a pace.
type walker struct{}

// pace lets the round trips of two contexts go side by side.
type pace struct {
	moved *sync.Cond
	at    [2]int
}

func newPace() *pace { return &pace{moved: sync.NewCond(&sync.Mutex{})} }

// step waits until the other context has come as far; what begins a connection is no step.
func (p *pace) step(ctx context.Context, cmd redis.Cmder) {
	who, ok := ctx.Value(walker{}).(int)
	if !ok || cmd.Name() == "hello" || cmd.Name() == "client" {
		return
	}
	p.moved.L.Lock()
	defer p.moved.L.Unlock()
	p.at[who]++
	p.moved.Broadcast()
	for p.at[1-who] < p.at[who] {
		p.moved.Wait()
	}
}

func (p *pace) done(who int) {
	p.moved.L.Lock()
	defer p.moved.L.Unlock()
	p.at[who] = math.MaxInt
	p.moved.Broadcast()
}

func (*pace) DialHook(next redis.DialHook) redis.DialHook { return next }

func (p *pace) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { p.step(ctx, cmd); return next(ctx, cmd) }
}

func (p *pace) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { p.step(ctx, cmds[0]); return next(ctx, cmds) }
}

// expectSessions checks that want sessions are alive, or one more, 50 at most, and that
// each is listed.
func expectSessions(t *testing.T, store *session.Store, db *redisdb.DB, want int) {
	t.Helper()
	list, err := store.List(t.Context(), alice.ID)
	alive := 0
	redistest.EachKey(t, db.Client, func(_ context.Context, _ redis.Cmdable, key string) {
		if strings.HasPrefix(key, "cs:{") {
			alive++
		}
	})
	if err != nil || len(list) != alive || alive > 50 || alive < want || alive > want+1 {
		t.Errorf("%d sessions are alive and %d listed, %v; want %d", alive, len(list), err, want)
	}
}

// TestEnding_FewRoundTrips checks that ending many sessions takes as many round trips
// as ending a few, with one key and while keys are changed.
func TestEnding_FewRoundTrips(t *testing.T) {
	for name, n := range map[string]int{"one key": 1, "two keys": 2} {
		t.Run(name, func(t *testing.T) {
			db := dbtest.Embedded(t)
			o := options(db, time.Now)
			o.Keys = sealtest.Keys(sessiontest.Keys[:n]...)
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
