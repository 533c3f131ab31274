package sessiontest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/redisdb/redistest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

// holder is a device with a key.
type holder struct {
	f   *fixture
	key *dpop.Key
}

func newHolder(f *fixture) holder {
	f.Helper()
	key, err := dpop.NewKey()
	f.must(err)
	return holder{f, key}
}

// request returns a request of the device, with a new proof; "" stands for no token.
func (h holder) request(token string) *http.Request {
	h.f.Helper()
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	proof, err := h.key.Prove(dpop.Call{Method: r.Method, URL: Origin + "/session", Token: token}, h.f.clock.Now())
	h.f.must(err)
	r.Header.Set("DPoP", proof)
	if token != "" {
		r.Header.Set("Authorization", "DPoP "+token)
	}
	return r
}

// signIn signs user in with a session that is bound to the device's key.
func (h holder) signIn(user session.User) *session.Session {
	h.f.Helper()
	key, err := h.f.Prove(h.request(""))
	h.f.must(err)
	sess, err := h.f.SignIn(h.f.ctx(), session.SignIn{User: user, Method: "password", Client: phone, Bearer: true, Key: key})
	h.f.must(err)
	return sess
}

// unproven checks that the request presents no session, for want of a proof.
func (f *fixture) unproven(r *http.Request, why string) {
	f.Helper()
	if _, ok, err := f.Load(r); ok || !fault.Is(err, fault.SessionProof) {
		f.Errorf("%s: %v, %v", why, ok, err)
	}
}

func boundNeedsItsKey(f *fixture) {
	device, thief := newHolder(f), newHolder(f)
	sess := device.signIn(alice)
	token := sess.Token()
	if !sess.Bound() || !sess.Bearer() {
		f.Errorf("bound %v, bearer %v", sess.Bound(), sess.Bearer())
	}
	loaded, ok, err := f.Load(device.request(token))
	if err != nil || !ok || !loaded.Bound() || loaded.ID() != sess.ID() || string(loaded.Key()) != string(sess.Key()) {
		f.Fatalf("with a proof: %v, %v", ok, err)
	}
	plain := bearer(token)
	f.unproven(plain, "as Bearer")
	withProof := device.request(token)
	withProof.Header.Set("Authorization", "Bearer "+token)
	f.unproven(withProof, "as Bearer, with a proof")
	f.unproven(withCookie(CookieName, token), "as a cookie")
	f.unproven(thief.request(token), "with another key")
	bare := device.request(token)
	bare.Header.Del("DPoP")
	f.unproven(bare, "without a proof")
	twice := device.request(token)
	twice.Header.Add("DPoP", device.request(token).Header.Get("DPoP"))
	f.unproven(twice, "with two proofs")

	unbound := f.signIn(nil, bob)
	f.unproven(device.request(unbound.Token()), "an unbound token as DPoP")
	if _, ok, err := f.Load(device.request(strings.Repeat("A", 43))); ok || err != nil {
		f.Errorf("a token that was never issued: %v, %v", ok, err)
	}
}

func proofIsGoodOnce(f *fixture) {
	device := newHolder(f)
	sess, other := device.signIn(alice), device.signIn(bob)
	r := device.request(sess.Token())
	if _, ok, err := f.Load(r); !ok || err != nil {
		f.Fatalf("a new proof: %v, %v", ok, err)
	}
	f.unproven(r, "the same again")
	f.pass(dpop.Window - time.Second)
	if _, _, err := f.node(Keys[0]).Load(r); !fault.Is(err, fault.SessionProof) {
		f.Errorf("the same on another node: %v", err)
	}
	first := device.request("")
	_, err := f.Prove(first)
	f.must(err)
	if _, err := f.Prove(first); !fault.Is(err, fault.SessionProof) {
		f.Errorf("the same for another sign-in: %v", err)
	}
	if _, ok, err := f.Load(device.request(other.Token())); !ok || err != nil {
		f.Errorf("another session of the key: %v, %v", ok, err)
	}
}

// replaysAtOnce sends one proof many times at once, to two nodes.
func replaysAtOnce(f *fixture) {
	device := newHolder(f)
	sess := device.signIn(alice)
	nodes := []*session.Store{f.Store, f.node(Keys[0])}
	for range 5 {
		r := device.request(sess.Token())
		var taken, refused atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				_, ok, err := nodes[i%2].Load(r)
				switch {
				case ok && err == nil:
					taken.Add(1)
				case fault.Is(err, fault.SessionProof):
					refused.Add(1)
				default:
					f.Errorf("%v, %v", ok, err)
				}
			})
		}
		all.Wait()
		if taken.Load() != 1 || refused.Load() != 49 {
			f.Errorf("taken %d times, refused %d times", taken.Load(), refused.Load())
		}
	}
}

func bindingStays(f *fixture) {
	device := newHolder(f)
	key, err := f.Prove(device.request(""))
	f.must(err)
	pre, err := f.StartPre(f.ctx(), true, key)
	f.must(err)
	loaded, ok, err := f.Load(device.request(pre.Token()))
	if err != nil || !ok || !loaded.Bound() {
		f.Fatalf("a bound pre-session: %v, %v", ok, err)
	}
	f.unproven(bearer(pre.Token()), "a bound pre-session as Bearer")
	sess, err := f.SignIn(f.ctx(), session.SignIn{Old: loaded, User: alice, Method: "fido2", Client: phone})
	f.must(err)
	for _, user := range []session.User{alice, bob} { // goes on, and is replaced
		f.unproven(bearer(sess.Token()), "what continues a bound session, as Bearer")
		loaded, ok, err = f.Load(device.request(sess.Token()))
		if err != nil || !ok || !loaded.Bound() {
			f.Fatalf("what continues a bound session: %v, %v", ok, err)
		}
		f.must(f.SetLanguage(f.ctx(), loaded, "de"))
		sess, err = f.SignIn(f.ctx(), session.SignIn{Old: loaded, User: user, Method: "password", Client: phone})
		f.must(err)
	}
	list, err := f.List(f.ctx(), bob.ID)
	f.must(err)
	if len(list) != 1 || !list[0].Bound {
		f.Errorf("listed as %+v", list)
	}
	f.signIn(nil, alice)
	if list, err = f.List(f.ctx(), alice.ID); err != nil || len(list) != 1 || list[0].Bound {
		f.Errorf("an unbound one is listed as %+v, %v", list, err)
	}
}

// outsidersLeaveNothing presents good proofs with tokens that are not theirs.
func outsidersLeaveNothing(f *fixture) {
	sess := newHolder(f).signIn(alice)
	f.pass(dpop.Window)
	before := keyCount(f)
	for _, token := range []string{strings.Repeat("A", 43), sess.Token()} {
		_, _, _ = f.Load(newHolder(f).request(token))
	}
	if after := keyCount(f); after != before {
		f.Errorf("%d keys in Redis, before %d", after, before)
	}
}

func basicCanBeOff(f *fixture) {
	sess := f.signIn(nil, alice)
	options := f.options(Keys[0])
	options.NoBasic = true
	off, err := session.NewStore(options)
	f.must(err)
	r := httptest.NewRequest(http.MethodGet, "/api/packages", nil)
	r.Header.Set("Authorization", "Basic "+sess.Token())
	if _, ok, err := off.Load(r); ok || err != nil {
		f.Errorf("Basic, which is off: %v, %v", ok, err)
	}
	if _, ok := f.load(off, sess.Token()); !ok {
		f.Error("Bearer is off too")
	}
}

// keyCount returns the number of keys that Redis holds.
func keyCount(f *fixture) int {
	f.Helper()
	var n atomic.Int32
	redistest.EachKey(f, f.backend.Client, func(context.Context, redis.Cmdable, string) { n.Add(1) })
	return int(n.Load())
}
