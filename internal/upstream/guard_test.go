package upstream_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/logtest"
	"countersign/internal/upstream"
)

// stalls stands for a status that is never sent.
const stalls = -1

// script starts a platform that answers with these statuses in turn, then 200, and counts
// the calls. For status 0 it breaks the connection instead. To the question whether it is
// there it answers as to the last call.
func script(t *testing.T, statuses ...int) (url string, calls *atomic.Int32) {
	calls = &atomic.Int32{}
	return platform(t, func(w http.ResponseWriter, r *http.Request) {
		n := int(calls.Load())
		if r.URL.Path != "/" {
			n = int(calls.Add(1))
		}
		if n > len(statuses) {
			return
		}
		switch statuses[n-1] {
		case 0:
			panic(http.ErrAbortHandler)
		case stalls:
			drainAndWait(r)
		default:
			w.WriteHeader(statuses[n-1])
		}
	}), calls
}

// becomes waits until the circuit is in that state.
func becomes(t *testing.T, c *upstream.Client, state string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); c.Circuit() != state; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("the circuit is %s, want %s", c.Circuit(), state)
		}
	}
}

func TestRetry_OnlySafeCalls(t *testing.T) {
	once := get
	once.Idempotent = false
	tests := []struct {
		name     string
		call     upstream.Call
		statuses []int
		calls    int32
		want     fault.Key
	}{
		{"a 503 mends", get, []int{503}, 2, ""},
		{"a 502 mends", get, []int{502, 503}, 3, ""},
		{"a broken connection mends", get, []int{0, 0}, 3, ""},
		{"three tries are enough", get, []int{503, 502, 503, 503}, 3, fault.PlatformUnavailable},
		{"three broken connections", get, []int{0, 0, 0}, 3, fault.PlatformUnavailable},
		{"a 500 stays", get, []int{500}, 1, fault.PlatformFailed},
		{"a 504 stays", get, []int{504}, 1, fault.PlatformFailed},
		{"a 429 stays", get, []int{429}, 1, fault.PlatformUnavailable},
		{"a 404 stays", get, []int{404}, 1, fault.PlatformFailed},
		{"a 409 stays", get, []int{409}, 1, fault.PlatformRefused},
		{"a POST is not repeated after 503", post, []int{503}, 1, fault.PlatformUnavailable},
		{"a POST is not repeated after 502", post, []int{502}, 1, fault.PlatformFailed},
		{"a POST is not repeated after a broken connection", post, []int{0}, 1, fault.PlatformUnavailable},
		{"a GET that counts is not repeated", once, []int{503}, 1, fault.PlatformUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, calls := script(t, tt.statuses...)
			err := client(t, url, upstream.Options{}).JSON(t.Context(), tt.call, nil)
			if tt.want == "" && err != nil || tt.want != "" && !fault.Is(err, tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if calls.Load() != tt.calls {
				t.Errorf("%d calls, want %d", calls.Load(), tt.calls)
			}
		})
	}
}

func TestRetry_SendsWholeBody(t *testing.T) {
	var bodies []int64
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		bodies = append(bodies, r.ContentLength)
		if len(bodies) < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	call := post
	call.Idempotent = true
	if err := client(t, url, upstream.Options{}).JSON(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	want := int64(len(`{"timeout":0}`))
	if len(bodies) != 3 || bodies[0] != want || bodies[2] != want {
		t.Errorf("bodies of %v bytes, want three of %d", bodies, want)
	}
}

func TestRetry_HonoursRetryAfter(t *testing.T) {
	var calls atomic.Int32
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	err := client(t, url, upstream.Options{}).JSON(t.Context(), get, nil)
	if calls.Load() != 1 || fault.From(err).RetryAfter != 30*time.Second {
		t.Errorf("%d calls, then %v", calls.Load(), err)
	}
}

func TestRetry_StaysWithinTimeout(t *testing.T) {
	const limit = 200 * time.Millisecond
	soon(t, 5*limit, func() bool {
		url, calls := script(t, 502, stalls, stalls)
		err := client(t, url, upstream.Options{Timeout: limit}).JSON(t.Context(), get, nil)
		if !fault.Is(err, fault.PlatformUnavailable) {
			t.Errorf("error = %v", err)
		}
		return calls.Load() == 2
	})
}

// soon fails the test unless, in one of ten tries, act returns true within limit: a busy
// machine may make the other tries slow.
func soon(t *testing.T, limit time.Duration, act func() (right bool)) {
	t.Helper()
	var took time.Duration
	var right bool
	for range 10 {
		begin := time.Now()
		right = act()
		if took = time.Since(begin); right && took <= limit || t.Failed() {
			return
		}
	}
	t.Errorf("it took %v, and was right: %v", took, right)
}

func TestLog_RetriesAndCircuitChanges(t *testing.T) {
	var log logtest.Log
	statuses := make(chan int, 5) // of two calls with their repetitions and questions
	for _, status := range []int{0, 503, 503, 503, 200} {
		statuses <- status
	}
	close(statuses)
	url := platform(t, func(w http.ResponseWriter, _ *http.Request) {
		switch status, more := <-statuses; {
		case more && status == 0:
			panic(http.ErrAbortHandler)
		case more:
			w.WriteHeader(status)
		}
	})
	c := client(t, url, upstream.Options{Logger: log.Logger(), OutagesToOpen: 1, OpenFor: time.Nanosecond, Authorization: secret})
	_ = c.JSON(t.Context(), get, nil)
	becomes(t, c, "open")
	_ = c.JSON(t.Context(), get, nil)
	for _, want := range []string{
		"service=identity", "platform call repeated", "attempt=2", "status=503", "attempt=3", "error=",
		"from=closed to=open", "from=open to=half-open", "from=half-open to=closed",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "c2VjcmV0") {
		t.Errorf("the credential is in the log:\n%s", log.String())
	}
}

func TestCircuit_OpensAfterOutages(t *testing.T) {
	typed := func(c *upstream.Client) error { return c.JSON(t.Context(), post, nil) }
	relayed := func(c *upstream.Client) error {
		_, err := c.Relay("login", request(t, t.Context(), c.At("/api"), nil))
		return err
	}
	ready := func(c *upstream.Client) error { return c.Ready(t.Context()) }
	for _, status := range []int{502, 503, 504, 0, stalls} {
		for _, call := range []func(*upstream.Client) error{typed, relayed} {
			url, calls := script(t, status, status, status, status)
			o := upstream.Options{OutagesToOpen: 3, OpenFor: time.Hour}
			if status == stalls {
				o.Timeout = 30 * time.Millisecond
			}
			c := client(t, url, o)
			for range 3 {
				if err := c.Ready(t.Context()); err != nil {
					t.Errorf("status %d: before the circuit opens: %v", status, err)
				}
				if call(c) == nil {
					t.Errorf("status %d: no error", status)
				}
			}
			becomes(t, c, "open")
			for _, ask := range []func(*upstream.Client) error{ready, ready, call} { // asking takes no permit
				err := ask(c)
				if !fault.Is(err, fault.PlatformUnavailable) || !strings.Contains(err.Error(), "the circuit is open") {
					t.Errorf("status %d: error = %v", status, err)
				}
				if after := fault.From(err).RetryAfter; after < 59*time.Minute || after > time.Hour {
					t.Errorf("status %d: Retry-After = %v, want what is left of the hour", status, after)
				}
			}
			if calls.Load() != 3 {
				t.Errorf("status %d: %d calls reached the platform, want 3", status, calls.Load())
			}
		}
	}
}

func TestCircuit_ClosedAfterRefusals(t *testing.T) {
	const times = 6
	all := func(status int) []int {
		return []int{status, status, status, status, status, status}
	}
	tests := map[string][]int{
		"refusals": {400, 404, 409, 429, 422, 410}, "credentials": {401, 403, 401, 403, 401, 403},
		"500": all(500), "redirects": all(302), "outages with life between": {503, 200, 503, 503, 200, 503},
	}
	for name, statuses := range tests {
		t.Run(name, func(t *testing.T) {
			url, calls := script(t, statuses...)
			c := client(t, url, upstream.Options{OutagesToOpen: 3, OpenFor: time.Hour})
			for range times {
				_ = c.JSON(t.Context(), post, nil)
			}
			if err := c.JSON(t.Context(), post, nil); err != nil || calls.Load() != times+1 {
				t.Errorf("after %d calls: %v", calls.Load(), err)
			}
		})
	}
}

func TestCircuit_ClosedWhenClientsDisconnect(t *testing.T) {
	var hangUp atomic.Pointer[context.CancelFunc]
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		if cancel := hangUp.Load(); cancel != nil {
			(*cancel)()
			drainAndWait(r)
		}
	})
	c := client(t, url, upstream.Options{OutagesToOpen: 1, OpenFor: time.Hour})
	for _, call := range []upstream.Call{get, post, get, post} {
		ctx, cancel := context.WithCancel(t.Context())
		hangUp.Store(&cancel)
		if err := c.JSON(ctx, call, nil); !fault.Is(err, fault.RequestCancelled) {
			t.Fatalf("error = %v", err)
		}
	}
	hangUp.Store(nil)
	if err := c.JSON(t.Context(), post, nil); err != nil {
		t.Errorf("the circuit opened: %v", err)
	}
}
