package account_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/account"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
	"countersign/internal/upstream"
)

// The platform is asked once a second about a person, for all requests of all nodes, and for
// each person by themselves.
func TestActivations_OnceASecond(t *testing.T) {
	var asked, ahead atomic.Int64
	said := atomic.Pointer[string]{}
	says := func(body string) { said.Store(&body) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if body := *said.Load(); body != "" {
			_, _ = w.Write([]byte(body))
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	now := func() time.Time { return time.Unix(1_800_000_000, ahead.Load()) }
	db := dbtest.Open(t, redisdb.Options{Embedded: true, Now: now})
	keys := sealtest.Keys(make([]byte, seal.KeyLength))
	var nodes []account.Activations
	for range 2 {
		client, err := upstream.New(upstream.Options{Name: "identity", BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		nodes = append(nodes, account.Activations{Identity: platform.New(platform.Options{Upstream: client}), Redis: db.Client, Keys: keys, Now: now})
	}
	everywhere := func(person string, want platform.ActivationStatus, calls int64) {
		t.Helper()
		asked.Store(0)
		var all sync.WaitGroup
		for range 5 {
			for _, node := range nodes {
				all.Go(func() {
					if got, err := node.Status(t.Context(), person); got != want || (err != nil) != (want == "") {
						t.Errorf("%s: %q, %v, want %q", person, got, err, want)
					}
				})
			}
		}
		all.Wait()
		if n := asked.Load(); n != calls {
			t.Errorf("%s: the platform was asked %d times, want %d", person, n, calls)
		}
	}
	says(`{"activationStatus":"pending"}`)
	everywhere("alice@sandbox", "pending", 1)
	says(`{"activationStatus":"Activated"}`)
	everywhere("alice@sandbox", "pending", 0)
	everywhere("bob@sandbox", "activated", 1)
	ahead.Add(int64(time.Second))
	everywhere("alice@sandbox", "activated", 1)
	ahead.Add(int64(time.Second))
	says("")
	everywhere("alice@sandbox", "", 1)
	says(`{"activationStatus":"timeout"}`)
	if _, err := nodes[0].Status(t.Context(), "alice@sandbox"); !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetrySeconds() != 1 {
		t.Errorf("after a failure: %v", err)
	}
	ahead.Add(int64(time.Second))
	everywhere("alice@sandbox", "timeout", 1)
	ahead.Add(int64(time.Second))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := nodes[0].Status(gone, "alice@sandbox"); got != "timeout" || err != nil {
		t.Errorf("for a browser that has gone: %q, %v", got, err)
	}
}
