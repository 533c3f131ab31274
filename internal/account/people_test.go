package account_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/internal/access"
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
		var events []audit.Event
		operator := access.Actor{Person: access.Person{Operator: true}, StepUp: func() error { return nil }, Record: func(e audit.Event) { events = append(events, e) }}
		ctx, cancel := context.WithCancel(t.Context())
		if c.gone {
			cancel()
		}
		err = account.People{Identity: platform.New(platform.Options{Upstream: client})}.Enable(ctx, operator, "alice@sandbox", "they called")
		if c.err == "" && err != nil || c.err != "" && !fault.Is(err, c.err) {
			t.Errorf("%s: %v", c.about, err)
		}
		if (len(events) == 1) != c.recorded || c.recorded && (events[0].Kind != audit.OperatorEnabled || events[0].OnBehalfOf != "alice@sandbox" || events[0].Unclear != c.unclear) {
			t.Errorf("%s: recorded %+v", c.about, events)
		}
		cancel()
		client.Close()
		server.Close()
	}
}
