package session_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

// A failover undoes the last writes: a session ended, or a record spent, just before is
// ended or spent again, and a rotated session stays signed in.
func TestFailover_EndedStaysEnded(t *testing.T) {
	server := redistest.Start(t)
	db := dbtest.Open(t, redisdb.Options{URL: server.URL()})
	o := options(db, time.Now)
	o.Repeats = db.NewRepeats()
	store, err := session.NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	alice, bob := session.User{ID: "alice@sandbox"}, session.User{ID: "bob@sandbox"}
	ended, elsewhere, stays := signIn(t, store, nil, alice), signIn(t, store, nil, bob), signIn(t, store, nil, bob)
	for _, challenge := range []string{"spent", "open"} {
		if err := store.Put(t.Context(), stays, sessiontest.Ceremony(challenge)); err != nil {
			t.Fatal(err)
		}
	}
	spend := func(challenge string) error {
		return store.Consume(t.Context(), stays, sessiontest.Ceremony(challenge))
	}

	undo := snapshot(t, server)
	if err := store.SignOut(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if found, err := store.End(t.Context(), bob.ID, elsewhere.ID()); err != nil || !found {
		t.Fatal(found, err)
	}
	if err := spend("spent"); err != nil {
		t.Fatal(err)
	}
	undo()
	if live, _ := store.Live(t.Context(), ended); !live {
		t.Fatal("nothing was undone")
	}
	over, end := context.WithCancel(t.Context())
	end()
	o.Repeats.Run(over)

	for name, sess := range map[string]struct {
		*session.Session
		live bool
	}{"signed out": {ended, false}, "ended elsewhere": {elsewhere, false}, "goes on": {stays, true}} {
		if live, err := store.Live(t.Context(), sess.Session); err != nil || live != sess.live {
			t.Errorf("%s: live is %v, %v", name, live, err)
		}
	}
	if err := spend("spent"); err == nil {
		t.Error("a ceremony was spent twice")
	}
	if err := spend("open"); err != nil {
		t.Errorf("a ceremony under way: %v", err)
	}
}

// snapshot remembers all of server's data; undo restores it.
func snapshot(t *testing.T, server *redistest.Server) (undo func()) {
	t.Helper()
	all, client := map[string]string{}, server.Client()
	redistest.EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		value, err := node.Dump(ctx, key).Result()
		if err != nil {
			t.Fatal(err)
		}
		all[key] = value
	})
	return func() {
		for key, value := range all {
			if err := client.RestoreReplace(t.Context(), key, 0, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
