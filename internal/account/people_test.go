package account_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/upstream"
)

// What an operator does to somebody's account is recorded when the platform may have done it: if
// the operator has gone, and if the answer is lost or cannot be read.
func TestPeople_Recorded(t *testing.T) {
	for _, c := range []struct {
		about, answer string
		status        int
		gone          bool
		recorded      bool
		unclear       bool
		err           fault.Key
	}{
		{"done", `{"enabled":true}`, 200, false, true, false, ""},
		{"done, and the operator has gone", `{"enabled":true}`, 200, true, true, false, ""},
		{"not said to be done", `{}`, 200, false, true, true, fault.PlatformFailed},
		{"failed", ``, 500, false, true, true, fault.PlatformFailed},
		{"away", ``, 503, false, true, true, fault.PlatformUnavailable},
		{"unknown", `{"message":"User account not found"}`, 404, false, false, false, fault.RequestNotFound},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.answer))
		}))
		client, err := upstream.New(upstream.Options{Name: "identity", BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		var journal accesstest.Journal
		operator := access.Actor{Person: access.Person{Operator: true}, Journal: &journal}
		ctx, cancel := context.WithCancel(t.Context())
		if c.gone {
			cancel()
		}
		err = account.People{Identity: platform.New(platform.Options{Upstream: client})}.Enable(ctx, operator, "alice@sandbox", "they called")
		if c.err == "" && err != nil || c.err != "" && !fault.Is(err, c.err) {
			t.Errorf("%s: %v", c.about, err)
		}
		events := journal.Events
		if (len(events) == 1) != c.recorded || c.recorded && (events[0].Kind != audit.OperatorEnabled || events[0].OnBehalfOf != "alice@sandbox" || events[0].Unclear != c.unclear) {
			t.Errorf("%s: recorded %+v", c.about, events)
		}
		cancel()
		client.Close()
		server.Close()
	}
}

// What the platform was not asked for, since it was away a moment ago, is not recorded.
func TestPeople_NotAsked(t *testing.T) {
	var asked atomic.Int64 // without the trials by which the client finds out if it is back
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			asked.Add(1)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	client, err := upstream.New(upstream.Options{Name: "identity", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var journal accesstest.Journal
	operator := access.Actor{Person: access.Person{Operator: true}, Journal: &journal}
	people := account.People{Identity: platform.New(platform.Options{Upstream: client})}
	const times = 100
	for range times {
		if err := people.Enable(t.Context(), operator, "alice@sandbox", "they called"); !fault.Is(err, fault.PlatformUnavailable) {
			t.Fatal(err)
		}
	}
	events := int64(len(journal.Events))
	if n := asked.Load(); events == 0 || events > n { // one call may be tried three times
		t.Errorf("the platform was asked %d times, and %d events were written", n, events)
	}
}
