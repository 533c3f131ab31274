// Package sessiontest is the contract of a session store: a suite of cases that runs on
// any Redis, embedded, single, Sentinel or Cluster. Each brings its own way to move time.
package sessiontest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal/sealtest"
	"countersign/session"

	"github.com/redis/go-redis/v9"
)

// The options of the suite's stores.
const (
	Idle      = 30 * time.Minute
	Lifetime  = 12 * time.Hour
	RecordTTL = 8 * time.Minute
	// margin is the remaining life of a record that must still be there: Redis also
	// counts the time that a busy machine takes.
	margin     = 30 * time.Second
	CookieName = "__Host-Http-countersign"
)

// Backend is a Redis to run the suite against.
type Backend struct {
	// Client is a client as session.Options requires it.
	Client redis.Cmdable
	// Timeout is the Timeout of session.Options.
	Timeout time.Duration
	// Advance moves time by d for every key of that Redis.
	Advance func(t testing.TB, d time.Duration)
}

// Run runs every case against the backend that open returns. All cases share it and
// delete its data.
func Run(t *testing.T, open func(t *testing.T) Backend) {
	backend := open(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			redistest.Flush(t, backend.Client)
			c.run(newFixture(t, backend))
		})
	}
}

var cases = []struct {
	name string
	run  func(*fixture)
}{
	{"a cookie is sent once and comes back", cookieComesBack},
	{"a bearer carries the token itself", bearerCarriesTheToken},
	{"a credential is read in one way alone", oneWayOfCredential},
	{"a token in the wrong spelling is no session", wrongSpelling},
	{"gorilla's store is one", gorillaStore},

	{"signing in makes a session that every node knows", signInEverywhere},
	{"a pre-session belongs to nobody", preSession},
	{"the same user goes on under a new token", sameUserGoesOn},
	{"another user ends the old session", anotherUserEnds},
	{"a pre-session is consumed", preSessionIsConsumed},
	{"two sign-ins at once from one session are two sessions", twoSignInsAtOnce},
	{"a session signed out is not continued", signedOutIsNotContinued},
	{"a verb is carried through when the client goes away", clientGoesAway},

	{"an unused session ends", unusedEnds},
	{"using a session prolongs it", usingProlongs},
	{"the absolute end stays", absoluteEndStays},
	{"a pre-session lives as long as its ceremonies", preSessionLives},

	{"a late write does not bring a session back", lateWrite},
	{"two writes at once lose nothing", writesLoseNothing},
	{"what a session says can be changed", changes},
	{"a profile that was missing at the sign-in can be filled in", missingProfile},
	{"what was tampered with is not there", tampering},
	{"session keys can be changed", keyRotation},
	{"session keys can be changed while a node goes on", keyReplacement},
	{"a session that is remembered ends and changes at once", rememberedEnds},
	{"what is remembered counts for the same bytes alone", rememberedBytes},
	{"a dump of Redis names nobody", dump},

	{"a record comes back as it was begun", recordComesBack},
	{"a record is spent once", spentOnce},
	{"no session has no records", noSession},
	{"to look for a record spends nothing", peekSpendsNothing},
	{"a ceremony belongs to its session", belongsToItsSession},
	{"a ceremony expires", ceremonyExpires},
	{"several ceremonies are open at once", severalAtOnce},
	{"what is spent stays spent", staysSpent},
	{"rotation carries what is pending", rotationCarries},
	{"a passkey's time outlasts other sign-ins", passkeyStays},
	{"a ceremony is not spent under two tokens", notUnderTwoTokens},
	{"a ceremony begun while rotating is not lost", begunWhileRotating},

	{"a person sees their sessions", personSees},
	{"a person ends one session", personEnds},
	{"a person ends all other sessions", personEndsOthers},
	{"a rotating session is ended by its id", endWhileRotating},
	{"the oldest session ends when there are too many", oldestEnds},
	{"what is over does not count", overDoesNotCount},
	{"sign-ins at once end the oldest", oldestEndsAtOnce},
	{"sign-ins at once that are all as old leave as many as there may be", equallyOld},
	{"to rotate ends no other session", rotationEndsNoOther},
	{"sessions count under every key", countUnderEveryKey},
	{"nothing is left behind", nothingIsLeft},

	{"a bound session opens with a proof of its key alone", boundNeedsItsKey},
	{"a proof is good once", proofIsGoodOnce},
	{"of replays at once on two nodes one is good", replaysAtOnce},
	{"a binding outlives every rotation", bindingStays},
	{"proofs of outsiders leave nothing", outsidersLeaveNothing},
	{"Basic can be off", basicCanBeOff},
}

// Keys are three session keys, to rotate.
var Keys = [][]byte{
	[]byte("the first key has 32 bytes......"),
	[]byte("the second key has 32 bytes....."),
	[]byte("the third key has 32 bytes......"),
}

// fixture is a Redis, a clock and a node.
type fixture struct {
	testing.TB
	backend Backend
	clock   *Clock
	*session.Store
}

func newFixture(t *testing.T, backend Backend) *fixture {
	f := &fixture{TB: t, backend: backend, clock: &Clock{}}
	f.Store = f.node(Keys[0])
	return f
}

// node returns another node on the same Redis, with these session keys.
func (f *fixture) node(keys ...[]byte) *session.Store {
	f.Helper()
	store, err := session.NewStore(f.options(keys...))
	f.must(err)
	return store
}

func (f *fixture) options(keys ...[]byte) session.Options {
	f.Helper()
	return session.Options{
		Redis: f.backend.Client, Keys: sealtest.Keys(keys...), CookieName: CookieName, Secure: true,
		Idle: Idle, Lifetime: Lifetime, RecordTTL: RecordTTL, Timeout: f.backend.Timeout, Now: f.clock.Now, Proofs: Proofs(f, f.clock.Now),
	}
}

// Origin is the public origin of the suite's stores.
const Origin = "https://countersign.example"

// Proofs returns what judges the proofs of requests to Origin, without nonces.
func Proofs(t testing.TB, now func() time.Time) *dpop.Verifier {
	t.Helper()
	proofs, err := dpop.NewVerifier(Origin, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return proofs
}

// pass moves time by d, for the nodes and for Redis.
func (f *fixture) pass(d time.Duration) {
	f.Helper()
	f.clock.Advance(d)
	f.backend.Advance(f, d)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// ctx returns the context of a request.
func (f *fixture) ctx() context.Context { return f.Context() }

// Clock is a clock that a test moves; the zero Clock stands still at a fixed time.
type Clock struct {
	mu    sync.Mutex
	shift time.Duration
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(c.shift)
}

// Advance moves it by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shift += d
}

// The people of the suite.
var (
	alice = session.User{ID: "alice@sandbox", DisplayName: "Alice Doe", Email: "alice@example.com"}
	bob   = session.User{ID: "bob@sandbox", DisplayName: "Bob Roe", Email: "bob@example.com"}
)

// laptop and phone are the clients of their sign-ins.
var (
	laptop = session.Client{UserAgent: "Mozilla/5.0 (X11; Linux x86_64) Laptop/1.0", Address: "192.0.2.1"}
	phone  = session.Client{UserAgent: "Countersign-App/2.0 (Phone)", Address: "2001:db8::7"}
)

// signIn signs user in, with old as the request's session.
func (f *fixture) signIn(old *session.Session, user session.User) *session.Session {
	f.Helper()
	sess, err := f.SignIn(f.ctx(), session.SignIn{Old: old, User: user, Method: "password", Client: laptop})
	f.must(err)
	return sess
}

// startPre starts a pre-session.
func (f *fixture) startPre() *session.Session {
	f.Helper()
	sess, err := f.StartPre(f.ctx(), false, nil)
	f.must(err)
	return sess
}

// load loads the session of token on store, as a request of an app would.
func (f *fixture) load(store *session.Store, token string) (*session.Session, bool) {
	f.Helper()
	sess, ok, err := store.Load(bearer(token))
	f.must(err)
	return sess, ok
}

// again loads sess as another request of its client does.
func (f *fixture) again(sess *session.Session) *session.Session {
	f.Helper()
	loaded, ok := f.load(f.Store, sess.Token())
	if !ok {
		f.Fatal("the session is not there")
	}
	return loaded
}

// gone checks that the token opens no session, on any node.
func (f *fixture) gone(token, why string) {
	f.Helper()
	for _, store := range []*session.Store{f.Store, f.node(Keys[0])} {
		if _, ok := f.load(store, token); ok {
			f.Errorf("a session is alive: %s", why)
		}
	}
}

// alive checks that the token opens a session.
func (f *fixture) alive(token, why string) {
	f.Helper()
	if _, ok := f.load(f.Store, token); !ok {
		f.Errorf("a session is dead: %s", why)
	}
}

func bearer(token string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}
