package session_test

import (
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"
)

func TestOutage(t *testing.T) {
	server := redistest.Start(t)
	db := open(t, redisdb.Options{URL: server.URL()})
	t.Run("killed", func(t *testing.T) { sessiontest.Outage(t, db.Client, server.Kill, server.Restart) })
	t.Run("stalled", func(t *testing.T) { sessiontest.Outage(t, db.Client, server.Stall, server.Resume) })
}

func TestOutageOfACluster(t *testing.T) {
	cluster := redistest.StartCluster(t)
	db := open(t, redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster})
	each := func(do func(*redistest.Server)) func() {
		return func() {
			for _, node := range cluster.Nodes {
				do(node)
			}
		}
	}
	back := func(do func(*redistest.Server)) func() {
		return func() {
			each(do)()
			cluster.Settled(t) // a node that is back may still miss the others
		}
	}
	t.Run("killed", func(t *testing.T) {
		sessiontest.Outage(t, db.Client, each((*redistest.Server).Kill), back((*redistest.Server).Restart))
	})
	t.Run("stalled", func(t *testing.T) {
		sessiontest.Outage(t, db.Client, each((*redistest.Server).Stall), back((*redistest.Server).Resume))
	})
}

// TestOutageOfOneShard takes away a part of Redis, so that a verb finds one of the
// places it needs and not another. Whoever signs in anew meanwhile and is told of
// the outage is still signed in afterwards.
func TestOutageOfOneShard(t *testing.T) {
	cluster := redistest.StartCluster(t, "--cluster-require-full-coverage", "no")
	db := open(t, redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster})
	store := newStore(t, db, time.Now)

	var signedIn []*session.Session
	for i := range 60 { // over all shards, and so are the people's lists
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

// TestFailover is a Redis that is handed over to its replica under load: what was
// answered before is there after.
func TestFailover(t *testing.T) {
	sentinel := redistest.StartSentinel(t)
	db := open(t, redisdb.Options{URL: sentinel.URL(), Mode: redisdb.ModeSentinel})
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
