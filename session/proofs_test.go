package session_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

// device holds a key and the token of a session that is bound to it.
type device struct {
	t     testing.TB
	key   *dpop.Key
	token string
}

// newDevice signs alice in with a new key.
func newDevice(t testing.TB, store *session.Store) *device {
	t.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	d := &device{t: t, key: key}
	held, err := store.Prove(d.request())
	if err != nil {
		t.Fatal(err)
	}
	sess, err := store.SignIn(t.Context(), session.SignIn{User: session.User{ID: "alice@sandbox"}, Method: "password", Key: held})
	if err != nil {
		t.Fatal(err)
	}
	d.token = sess.Token()
	return d
}

// request returns a request with a new proof, and with the token, once there is one.
func (d *device) request() *http.Request {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	proof, err := d.key.Prove(dpop.Call{Method: r.Method, URL: sessiontest.Origin + "/session", Token: d.token}, time.Now())
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("DPoP", proof)
	if d.token != "" {
		r.Header.Set("Authorization", "DPoP "+d.token)
	}
	return r
}

// roundTrips counts what is sent to Redis: a pipeline counts once.
type roundTrips struct{ atomic.Int32 }

func (*roundTrips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { r.Add(1); return next(ctx, cmd) }
}

func (r *roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { r.Add(1); return next(ctx, cmds) }
}

// The proof is spent in the round trip that reads the session, and what is known to be read
// with it travels along.
func TestBoundSession_OneRoundTrip(t *testing.T) {
	for name, o := range map[string]redisdb.Options{
		"single":  {URL: redistest.Start(t).URL(), Timeout: dbtest.Patience},
		"cluster": {URL: redistest.StartCluster(t).URL(), Mode: redisdb.ModeCluster, Timeout: dbtest.Patience},
	} {
		t.Run(name, func(t *testing.T) {
			db := dbtest.Open(t, o)
			store := newStore(t, db, time.Now)
			d, count := newDevice(t, store), &roundTrips{}
			db.Client.AddHook(count)
			if _, ok, err := store.Load(d.request()); !ok || err != nil || count.Load() != 1 {
				t.Errorf("%v, %v, after %d round trips", ok, err, count.Load())
			}
			if err := db.Client.Set(t.Context(), "other", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
			bare := bearer(signIn(t, store, nil, session.User{ID: "bob@sandbox"}))
			for _, r := range []*http.Request{d.request(), bare} {
				other, none := redis.NewStringCmd(t.Context(), "get", "other"), redis.NewStringCmd(t.Context(), "get", "none")
				count.Store(0)
				if _, ok, err := store.Load(r, other, none); !ok || err != nil || count.Load() != 1 {
					t.Errorf("%v, %v, after %d round trips", ok, err, count.Load())
				}
				if other.Val() != "value" || !errors.Is(none.Err(), redis.Nil) {
					t.Errorf("along with it: %v, %v", other, none)
				}
			}
		})
	}
}

// A failover loses the last proofs that were taken; the node that took them spends them
// again.
func TestProof_SurvivesFailover(t *testing.T) {
	server := redistest.Start(t)
	db := dbtest.Open(t, redisdb.Options{URL: server.URL(), Timeout: dbtest.Patience})
	o := options(db, time.Now)
	o.ProofRepeats = db.NewRepeats()
	store, err := session.NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, store)
	taken := d.request()
	if _, ok, err := store.Load(taken); !ok || err != nil {
		t.Fatal(ok, err)
	}
	expectUsed(t, server)
	forget := func() (n int) {
		redistest.EachKey(t, server.Client(), func(ctx context.Context, node redis.Cmdable, key string) {
			if strings.HasPrefix(key, "cs:p:") {
				n += int(node.Del(ctx, key).Val())
			}
		})
		return n
	}
	if n := forget(); n != 2 { // the sign-in's too
		t.Fatalf("%d proofs were forgotten", n)
	}
	over, end := context.WithCancel(t.Context())
	end()
	o.ProofRepeats.Run(over)
	expectUsed(t, server)
	if _, ok, err := newStore(t, db, time.Now).Load(taken); ok || !fault.Is(err, fault.SessionProof) {
		t.Errorf("the proof was taken again: %v, %v", ok, err)
	}
	if _, ok, err := store.Load(d.request()); !ok || err != nil {
		t.Errorf("a new one: %v, %v", ok, err)
	}
}

// expectUsed checks that proofs count as used for as long as a node whose clock is 4 s behind
// takes what a node whose clock is 4 s ahead takes a minute before its iat.
func expectUsed(t *testing.T, server *redistest.Server) {
	t.Helper()
	redistest.EachKey(t, server.Client(), func(ctx context.Context, node redis.Cmdable, key string) {
		if life := node.PTTL(ctx, key).Val(); strings.HasPrefix(key, "cs:p:") && life < 128*time.Second {
			t.Errorf("a used proof is forgotten after %s", life)
		}
	})
}

// While Redis is full a proof cannot be spent: that is an outage, and refuses nobody.
func TestProof_FullRedis(t *testing.T) {
	server := redistest.Start(t)
	store := newStore(t, dbtest.Open(t, redisdb.Options{URL: server.URL(), Timeout: dbtest.Patience}), time.Now)
	d := newDevice(t, store)
	if err := server.Client().ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := store.Load(d.request()); ok || !fault.Is(err, fault.SessionUnavailable) {
		t.Errorf("%v, %v", ok, err)
	}
	if _, err := store.Prove(d.request()); !fault.Is(err, fault.SessionUnavailable) {
		t.Errorf("a sign-in: %v", err)
	}
}
