package session_test

import (
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"
)

func TestOutage_KilledOrStalled(t *testing.T) {
	server := redistest.Start(t)
	db := dbtest.Open(t, redisdb.Options{URL: server.URL()})
	t.Run("killed", func(t *testing.T) { sessiontest.Outage(t, db.Client, server.Kill, server.Restart) })
	t.Run("stalled", func(t *testing.T) { sessiontest.Outage(t, db.Client, server.Stall, server.Resume) })
}

// TestOutage_OneShard takes away a part of Redis, so that a verb finds one of its keys
// and not another. A sign-in that fails meanwhile leaves its person signed in as before.
func TestOutage_OneShard(t *testing.T) {
	cluster := redistest.StartCluster(t, "--cluster-require-full-coverage", "no")
	db := dbtest.Open(t, redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster, Timeout: dbtest.Patience})
	store := newStore(t, db, time.Now)

	var signedIn []*session.Session
	for i := range 60 { // over all shards, like the people's lists
		user := session.User{ID: string(rune('a'+i%26)) + "@sandbox"}
		signedIn = append(signedIn, signIn(t, store, nil, user))
	}
	cluster.Nodes[1].Kill()
	failed := 0
	for i, sess := range signedIn {
		user, _ := sess.User()
		next, err := store.SignIn(t.Context(), session.SignIn{Old: sess, User: user, Method: "fido2"})
		switch {
		case err == nil:
			signedIn[i] = next
		case fault.Is(err, fault.SessionUnavailable):
			failed++
		default:
			t.Errorf("session %d: %v", i, err)
		}
		if _, ok, err := store.Load(bearer(signedIn[i])); !ok && !fault.Is(err, fault.SessionUnavailable) {
			t.Errorf("session %d is absent while a shard is away: %v", i, err)
		}
	}
	if failed == 0 || failed == len(signedIn) {
		t.Errorf("%d of %d sign-ins failed with one shard of three away", failed, len(signedIn))
	}

	cluster.Nodes[1].Restart()
	for i, sess := range signedIn {
		redistest.Eventually(t, "a session is there again", func() bool {
			_, ok, err := store.Load(bearer(sess))
			if err == nil && !ok {
				t.Fatalf("session %d was signed out by an outage", i)
			}
			return ok
		})
	}
}

// TestFailover_UnderLoad fails a Redis over to its replica under load: what was answered before is
// there after.
func TestFailover_UnderLoad(t *testing.T) {
	sentinel := redistest.StartSentinel(t)
	db := dbtest.Open(t, redisdb.Options{URL: sentinel.URL(), Mode: redisdb.ModeSentinel, Timeout: dbtest.Patience})
	store := newStore(t, db, time.Now)
	sess := signIn(t, store, nil, session.User{ID: "alice@sandbox"})
	replica := sentinel.Replica.Client()
	redistest.Eventually(t, "the replica has heard of it", func() bool { return replica.DBSize(t.Context()).Val() == 2 })
	sentinel.Failover(t)
	redistest.Eventually(t, "the session is there on the new master", func() bool {
		_, ok, err := store.Load(bearer(sess))
		if err == nil && !ok {
			t.Fatal("the failover signed somebody out")
		}
		return ok && store.SetLanguage(t.Context(), sess, "de") == nil
	})
}

// TestFullRedis_LoadListAndEnd: in a Redis without free memory, verbs that need none work: loading,
// listing and ending sessions. All others are outages and change nothing.
func TestFullRedis_LoadListAndEnd(t *testing.T) {
	server, cluster := redistest.Start(t), redistest.StartCluster(t)
	for name, c := range map[string]struct {
		options redisdb.Options
		nodes   []*redistest.Server
	}{
		"single":  {redisdb.Options{URL: server.URL(), Timeout: dbtest.Patience}, []*redistest.Server{server}},
		"cluster": {redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster, Timeout: dbtest.Patience}, cluster.Nodes},
	} {
		t.Run(name, func(t *testing.T) {
			clock := &sessiontest.Clock{}
			store := newStore(t, dbtest.Open(t, c.options), clock.Now)
			var made []*session.Session
			for range 10 {
				made = append(made, signIn(t, store, nil, alice))
				begin(t, store, made[len(made)-1], "challenge")
			}
			kept, unlucky := made[0], made[1]
			clock.Advance(sessiontest.Idle / 6)
			setMaxMemory(t, c.nodes, "1")
			used := load(t, store, kept)
			for verb, err := range map[string]error{
				"Touch":       store.Touch(t.Context(), used),
				"SetLanguage": store.SetLanguage(t.Context(), used, "de"),
				"Begin":       store.Put(t.Context(), used, sessiontest.Ceremony("another")),
				"Spend":       store.Consume(t.Context(), used, sessiontest.Ceremony("challenge")),
			} {
				if !fault.Is(err, fault.SessionUnavailable) {
					t.Errorf("%s: %v", verb, err)
				}
			}
			if _, err := store.SignIn(t.Context(), session.SignIn{Old: unlucky, User: alice, Method: "fido2"}); !fault.Is(err, fault.SessionUnavailable) {
				t.Errorf("SignIn: %v", err)
			}
			load(t, store, unlucky)

			signOut(t, store, load(t, store, made[2]))
			if ended, err := store.End(t.Context(), alice.ID, made[3].ID()); !ended || err != nil {
				t.Errorf("End: %v, %v", ended, err)
			}
			expectListed(t, store, 8)
			endOthers(t, store, load(t, store, kept))
			expectListed(t, store, 1)
			for _, sess := range made[1:] {
				if _, ok, err := store.Load(bearer(sess)); ok || err != nil {
					t.Errorf("a session that was ended: %v, %v", ok, err)
				}
			}

			setMaxMemory(t, c.nodes, "0")
			if got := spend(t, store, load(t, store, kept), "challenge"); got != sessiontest.Found {
				t.Errorf("what could not be spent is %d afterwards", got)
			}
			signOut(t, store, load(t, store, kept))
			for _, node := range c.nodes {
				if n := node.Client().DBSize(t.Context()).Val(); n != 0 {
					t.Errorf("%d keys are left behind", n)
				}
			}
		})
	}
}

func expectListed(t *testing.T, store *session.Store, want int) {
	t.Helper()
	if list, err := store.List(t.Context(), alice.ID); err != nil || len(list) != want {
		t.Errorf("%d sessions are listed, %v; want %d", len(list), err, want)
	}
}

func setMaxMemory(t *testing.T, nodes []*redistest.Server, bytes string) {
	t.Helper()
	for _, node := range nodes {
		if err := node.Client().ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
}
