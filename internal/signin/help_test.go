package signin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/sandbox"
	"countersign/internal/seal/sealtest"
	"countersign/internal/signin"
	"countersign/internal/uaf"
	"countersign/internal/upstream"
	"countersign/session"
	"countersign/session/sessiontest"
)

const (
	origin = "http://localhost:8080"
	appID  = origin + "/uaf/facets"
	alice  = "alice@sandbox"
	bob    = "bob@sandbox"
	nobody = "nobody@sandbox"
)

// withoutKeys are users who cannot sign in with an authenticator, each for another
// reason.
var withoutKeys = []string{bob, "dave@sandbox", "erin@sandbox", nobody}

// environment is what the tests share: a sandbox that records its calls, and an
// embedded Redis. Several nodes can share it.
type environment struct {
	*signin.Service
	t        testing.TB
	identity *identityapi.Client
	platform string
	redis    *redisdb.DB
	away     atomic.Bool // the platform, as a gateway before it says

	mu     sync.Mutex
	asked  []string // operation and user or requestID
	bodies []string // of logins
}

func build(t testing.TB) *environment {
	t.Helper()
	h := &environment{t: t}
	server, err := sandbox.New(sandbox.Options{
		RPID: "localhost", RPOrigins: []string{origin}, UAFAppID: appID, UAFFacets: []string{origin}, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(h.watch(server))
	t.Cleanup(func() { server.Close(); listener.Close() })
	h.platform = listener.URL
	h.redis = dbtest.Embedded(t)
	h.Service = h.anotherNode()
	return h
}

// anotherNode returns one more node of the installation.
func (h *environment) anotherNode() *signin.Service {
	h.t.Helper()
	db := h.redis
	client, err := upstream.New(upstream.Options{Name: "identity", BaseURL: h.platform, OpenFor: time.Hour})
	if err != nil {
		h.t.Fatal(err)
	}
	sessions, err := session.NewStore(session.Options{
		Redis: db.Client, Keys: sealtest.Keys([]byte("0123456789abcdef0123456789ABCDEF")), CookieName: "countersign",
		Idle: time.Hour, Lifetime: time.Hour, RecordTTL: 10 * time.Minute, Timeout: db.Timeout(), Now: time.Now,
		Proofs: sessiontest.Proofs(h.t, time.Now),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.identity = identityapi.New(identityapi.Options{Upstream: client})
	return &signin.Service{
		Identity: h.identity, Sessions: sessions,
		RelyingParty: ceremony.RelyingParty{
			ID: "localhost", Origins: []string{origin}, Facets: []string{origin}, MaxAge: 5 * time.Minute, Now: time.Now,
		},
		Decoys: decoy.New(decoy.Options{
			Redis: db.Client, Key: bytes.Repeat([]byte{7}, 32), RPID: "localhost", AppID: appID, Models: []uaf.AAID{softuaf.DemoAAID},
		}),
		Limits:         signin.Limits{Limiter: ratelimit.New(db.Client, []byte("a key")), PushTTL: time.Minute},
		PushProtection: identityapi.PushNoPIN,
		Now:            time.Now,
	}
}

// watch records the calls to the platform, except those by which tests control it.
func (h *environment) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/_manage") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			h.mu.Lock()
			h.asked = append(h.asked, r.Method+" "+r.URL.Path)
			if strings.HasSuffix(r.URL.Path, "/login") {
				h.bodies = append(h.bodies, string(body))
			}
			h.mu.Unlock()
			if h.away.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// calls returns how often a path with mark was called on the platform since the last
// time.
func (h *environment) calls(mark string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, call := range h.asked {
		if strings.Contains(call, mark) {
			n++
		}
	}
	h.asked = nil
	return n
}

// lastLogin returns the body of the last login sent to the platform.
func (h *environment) lastLogin() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bodies[len(h.bodies)-1]
}

// manage calls the sandbox's management API.
func (h *environment) manage(method, path string, body any) {
	h.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.platform+"/_manage"+path, bytes.NewReader(text))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		said, _ := io.ReadAll(response.Body)
		h.t.Fatalf("manage %s: %d %s", path, response.StatusCode, said)
	}
}

func (h *environment) fails(operation string, fault map[string]any) {
	h.t.Helper()
	fault["operation"] = operation
	h.manage("POST", "/faults", fault)
}

func (h *environment) decide(requestID, decision string) {
	h.t.Helper()
	h.manage("POST", "/push/"+requestID, map[string]any{"decision": decision})
}

var here = at("192.0.2.1")

const right = "Sandbox-1!"

// must returns the result of an attempt, which must succeed.
func (h *environment) must(c signin.Client, a signin.Attempt) signin.Result {
	h.t.Helper()
	result, err := h.Try(h.t.Context(), c, a)
	if err != nil {
		h.t.Fatalf("%s of %s: %v", a.Method, a.User, err)
	}
	return result
}

// refused checks that an attempt fails with this key.
func (h *environment) refused(c signin.Client, a signin.Attempt, want fault.Key) *fault.Error {
	h.t.Helper()
	result, err := h.Try(h.t.Context(), c, a)
	if err == nil || !fault.Is(err, want) {
		h.t.Errorf("%s of %s: %+v, %v, want %s", a.Method, a.User, result, err, want)
		return fault.New(want)
	}
	return fault.From(err)
}

// in returns a client that is signed in as user.
func (h *environment) in(user string) signin.Client {
	h.t.Helper()
	c := at("198.51.100.1")
	c.Session = h.must(c, password(user, right)).Session
	return c
}

// with returns c with a result's session.
func with(c signin.Client, s *session.Session) signin.Client {
	c.Session = s
	return c
}

func (h *environment) offer(c signin.Client, user string, in identityapi.AuthenticationRequestInput) signin.Offer {
	h.t.Helper()
	offer, err := h.Offer(h.t.Context(), c, user, in)
	if err != nil {
		h.t.Fatalf("offer to %s: %v", user, err)
	}
	return offer
}

var (
	askFIDO2 = identityapi.AuthenticationRequestInput{FIDOProtocol: "FIDO2"}
	askUAF   = identityapi.AuthenticationRequestInput{FIDOProtocol: "UAF11"}
)

func idOf(r signin.Result) string { return fmt.Sprint(r.Members["requestID"]) }
