package service_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/idv"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
	"countersign/internal/upstream"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	verificationapi "countersign/internal/verification/platform"
	"countersign/internal/verification/service"
)

// TestMain silences go-redis's global logger.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}

// world is a Service over the sandbox and an embedded Redis, with a record of everything
// that it reported.
type world struct {
	*service.Service
	t *testing.T

	url   string       // of the sandbox
	ahead atomic.Int64 // how far the clock of all is ahead

	mu      sync.Mutex
	breaks  string // the end of the path of the call at which Redis fails; "" if it never does
	down    bool   // Redis fails
	hints   []string
	journal accesstest.Journal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	db := dbtest.Embedded(t)
	db.Client.AddHook(w)
	platform := w.platform()
	secret := bytes.Repeat([]byte{7, 9}, seal.KeyLength/2)
	keys := sealtest.Keys(secret)
	leases := redisdb.NewLeases(db.Client, secret, time.Minute)
	index, err := index.New(index.Options{
		Redis: db.Client, Keys: keys, Platform: index.OfClient(platform), Leases: leases, Now: w.now,
		Lookup: func(context.Context, string) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Service = &service.Service{
		Platform: platform, Index: index,
		Once:    idempotency.New(idempotency.Options{Redis: db.Client, Leases: leases, Keys: keys, Now: time.Now}),
		Rules:   verification.Rules{Workflows: idv.Workflows(), Brands: idv.Brands(), Role: "customer", SpoolDir: t.TempDir(), Now: time.Now},
		Limiter: ratelimit.New(db.Client, secret), Logger: slog.New(slog.DiscardHandler), Now: w.now,
		Hint: func(_ context.Context, id string) { w.note(func() { w.hints = append(w.hints, id) }) },
	}
	return w
}

// platform returns a client of the sandbox. Redis fails as soon as the sandbox gets the
// call that breaks names; the sandbox still answers it.
func (w *world) platform() *verificationapi.Client {
	w.t.Helper()
	server, err := sandbox.New(sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.note(func() { w.down = w.down || w.breaks != "" && strings.HasSuffix(r.URL.Path, w.breaks) })
		server.ServeHTTP(out, r)
	}))
	w.t.Cleanup(func() { server.Close(); web.Close() })
	w.url = web.URL
	core, err := upstream.New(upstream.Options{
		Name: "verification", BaseURL: web.URL, Authorization: "Bearer " + idv.Token, Header: http.Header{"X-Tenant": {idv.Tenant}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(core.Close)
	return verificationapi.New(verificationapi.Options{Upstream: core, Addresses: verification.Addresses{Sites: []string{core.URL().Host}}})
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) note(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

var errDown = errors.New("gone: Redis")

func (w *world) gone() (err error) {
	w.note(func() {
		if w.down {
			err = errDown
		}
	})
	return err
}

// DialHook implements redis.Hook.
func (w *world) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook. It fails while Redis is down.
func (w *world) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		if err := w.gone(); err != nil {
			c.SetErr(err)
			return err
		}
		return next(ctx, c)
	}
}

// ProcessPipelineHook implements redis.Hook. It fails while Redis is down.
func (w *world) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, all []redis.Cmder) error {
		if err := w.gone(); err != nil {
			for _, c := range all {
				c.SetErr(err)
			}
			return err
		}
		return next(ctx, all)
	}
}

// actor returns person as the actor of a request.
func (w *world) actor(person access.Person) access.Actor {
	return access.Actor{
		Person: person, Session: "session", Journal: &w.journal,
	}
}

var (
	alice = access.Person{User: "alice@sandbox"}
	carol = access.Person{User: "carol@sandbox", Operator: true}
)

const payload = `{"users":[{"first_name":"Anna","last_name":"Muster"}]}`

// started starts a transaction of alice's and returns its id.
func (w *world) started() string {
	w.t.Helper()
	t, _, err := w.Start(w.t.Context(), w.actor(alice), service.Start{Payload: strings.NewReader(payload)})
	if err != nil {
		w.t.Fatal(err)
	}
	return t.ID
}
