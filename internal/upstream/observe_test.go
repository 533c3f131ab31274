package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/upstream"
)

// observer keeps the observations, one "operation outcome" a call.
type observer struct{ heard []string }

func (o *observer) options(more upstream.Options) upstream.Options {
	more.Now = time.Now
	more.Observe = func(ended upstream.Observation) {
		if ended.Elapsed < 0 {
			ended.Outcome += fmt.Sprint(" after ", ended.Elapsed)
		}
		o.heard = append(o.heard, ended.Operation+" "+ended.Outcome)
	}
	return more
}

func TestCall_ObservedWithOutcome(t *testing.T) {
	untrusted := httptest.NewTLSServer(nil)
	t.Cleanup(untrusted.Close)
	mending, _ := script(t, 503)
	for _, tt := range []struct {
		name    string
		url     string
		options upstream.Options
		call    upstream.Call
		want    string
	}{
		{"a success", platform(t, answering(200, "application/json", "{}")), upstream.Options{}, post, "login 200"},
		{"a refusal", platform(t, answering(409, "application/json", "{}")), upstream.Options{}, post, "login 409"},
		{"what mends is one call", mending, upstream.Options{}, get, "user 200"},
		{"nobody there", "http://127.0.0.1:1", upstream.Options{}, post, "login unreachable"},
		{"a certificate", untrusted.URL, upstream.Options{}, post, "login untrusted"},
		{"too late", platform(t, func(_ http.ResponseWriter, r *http.Request) { drainAndWait(r) }), upstream.Options{Timeout: 50 * time.Millisecond}, post, "login timeout"},
		{"too long", platform(t, answering(200, "application/json", strings.Repeat(" ", 99))), upstream.Options{MaxResponse: 9}, post, "login broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o observer
			_ = client(t, tt.url, o.options(tt.options)).JSON(t.Context(), tt.call, nil)
			if want := []string{tt.want}; !slices.Equal(o.heard, want) {
				t.Errorf("heard %q, want %q", o.heard, want)
			}
		})
	}
}

func TestObserve_CancelledAndCircuitOpen(t *testing.T) {
	var o observer
	c := client(t, platform(t, answering(502, "", "")), o.options(upstream.Options{OutagesToOpen: 1, OpenFor: time.Hour}))
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	_ = c.JSON(gone, post, nil)
	if c.Circuit() != "closed" {
		t.Errorf("the circuit is %s", c.Circuit())
	}
	_ = c.JSON(t.Context(), post, nil)
	becomes(t, c, "open")
	_ = c.JSON(t.Context(), post, nil)
	if want := []string{"login cancelled", "login 502", "login circuit-open"}; !slices.Equal(o.heard, want) {
		t.Errorf("heard %q, want %q", o.heard, want)
	}
	if c.Circuit() != "open" {
		t.Errorf("the circuit is %s", c.Circuit())
	}
}
