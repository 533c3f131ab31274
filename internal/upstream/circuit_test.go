package upstream_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// questioned starts a platform that answers the question whether it is there with the status
// that asked returns, and calls by h.
func questioned(t *testing.T, asked func(*http.Request) int, h http.HandlerFunc) string {
	return platform(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			h(w, r)
			return
		}
		w.WriteHeader(asked(r))
	})
}

// trial returns a client whose circuit is open and has a trial due; the question that decides is
// announced on asked, and waits for its status on answer.
func trial(t *testing.T) (c *upstream.Client, asked <-chan struct{}, answer chan<- int) {
	in, out := make(chan struct{}), make(chan int)
	var questions, calls atomic.Int32
	url := questioned(t, func(*http.Request) int {
		if questions.Add(1) == 1 {
			return http.StatusServiceUnavailable
		}
		in <- struct{}{}
		return <-out
	}, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	c = client(t, url, upstream.Options{OutagesToOpen: 1, OpenFor: time.Nanosecond})
	if err := c.JSON(t.Context(), post, nil); !fault.Is(err, fault.PlatformUnavailable) {
		t.Fatal(err)
	}
	becomes(t, c, "open")
	return c, in, out
}

func TestCircuit_TrialDecidesState(t *testing.T) {
	for status, there := range map[int]bool{200: true, 401: true, 404: true, 302: true, 500: true, 501: true, 502: false, 503: false, 504: false} {
		c, asked, answer := trial(t)
		if err := c.Ready(t.Context()); err != nil {
			t.Errorf("when a trial is due: %v", err)
		}
		result := make(chan error)
		go func() { result <- c.JSON(context.Background(), post, nil) }()
		<-asked
		// Calls made while the trial is under way are refused.
		for _, err := range []error{c.Ready(t.Context()), c.JSON(t.Context(), post, nil)} {
			if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter != time.Second {
				t.Errorf("beside the trial: %v", err)
			}
		}
		answer <- status
		if err := <-result; there && err != nil || !there && !fault.Is(err, fault.PlatformUnavailable) {
			t.Errorf("after %d: %v", status, err)
		}
		if state := c.Circuit(); there && state != "closed" || !there && state != "open" {
			t.Errorf("after %d the circuit is %s", status, state)
		}
	}
}

func TestCircuit_ClientLeavesDuringTrial(t *testing.T) {
	for name, call := range map[string]func(*upstream.Client, context.Context) error{
		"a call": func(c *upstream.Client, ctx context.Context) error { return c.JSON(ctx, post, nil) },
		"a relay": func(c *upstream.Client, ctx context.Context) error {
			_, err := c.Relay("relay", request(t, ctx, c.At("/api"), nil))
			return err
		},
	} {
		c, asked, answer := trial(t)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() { result <- call(c, ctx) }()
		<-asked
		cancel()
		if err := <-result; !fault.Is(err, fault.RequestCancelled) {
			t.Errorf("%s: %v", name, err)
		}
		answer <- http.StatusOK
		becomes(t, c, "closed")
	}
}

// The question is the same for everybody: nothing of it comes from a client.
func TestCircuit_ProbeCarriesNoClientData(t *testing.T) {
	asked := make(chan *http.Request, 1)
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1" {
			asked <- r.Clone(context.Background())
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	c := client(t, url+"/v1/", upstream.Options{OutagesToOpen: 1, Authorization: secret, Header: http.Header{"X-Tenant": {"t"}}})
	_ = c.JSON(t.Context(), post, nil)
	r := <-asked
	if r.Method != http.MethodGet || r.ContentLength != 0 || r.URL.RawQuery != "" || len(r.Header) != 2 || r.UserAgent() != "Countersign" || r.Header.Get("X-Tenant") != "t" {
		t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	becomes(t, c, "open")
}

// failing are the ways in which one client's call can fail at a platform that answers all others.
var failing = map[string]http.HandlerFunc{
	"a reset before the answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"a reset within the answer": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"half":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	},
	"a broken header": func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 nonsense\r\n:::\r\n\r\n")
			conn.Close()
		}
	},
	"502":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
	"503":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	"504":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) },
	"a time-out":  func(_ http.ResponseWriter, r *http.Request) { drainAndWait(r) },
	"a cut relay": nil,
}

// One client's failures are not those of others: the circuit stays closed while the platform
// says that it is there.
func TestCircuit_FailuresOfOneClient(t *testing.T) {
	for name, fail := range failing {
		t.Run(name, func(t *testing.T) {
			if fail == nil {
				fail = failing["a reset before the answer"]
			}
			url := questioned(t, func(*http.Request) int { return http.StatusNotFound }, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/mallory") {
					fail(w, r)
				}
			})
			c := client(t, url, upstream.Options{OutagesToOpen: 3, OpenFor: time.Hour})
			attack := upstream.Call{Operation: "login", Method: "POST", Path: "/mallory", Timeout: 20 * time.Millisecond}
			for range 30 {
				if name == "a cut relay" {
					if _, err := c.Relay("relay", request(t, t.Context(), url+"/mallory", nil)); err == nil {
						t.Fatal("no error")
					}
				} else if err := c.JSON(t.Context(), attack, nil); err == nil {
					t.Fatal("no error")
				}
			}
			for i := range 20 {
				if err := c.JSON(t.Context(), post, nil); err != nil {
					t.Errorf("call %d of others: %v", i, err)
				}
			}
		})
	}
}

// Many failures make one question.
func TestCircuit_OneProbeForManyFailures(t *testing.T) {
	var questions atomic.Int32
	answer := make(chan int)
	url := questioned(t, func(*http.Request) int { questions.Add(1); return <-answer }, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	c := client(t, url, upstream.Options{OutagesToOpen: 2, OpenFor: time.Hour})
	for range 100 { // nobody waits for the question
		_ = c.JSON(t.Context(), post, nil)
	}
	answer <- http.StatusServiceUnavailable
	becomes(t, c, "open")
	if n := questions.Load(); n != 1 {
		t.Errorf("%d questions", n)
	}
}

// Where there is not even a connection, nothing has to be asked.
func TestCircuit_OpensWithoutConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := client(t, "http://"+address, upstream.Options{OutagesToOpen: 3, OpenFor: time.Hour})
	for range 3 {
		if err := c.JSON(t.Context(), post, nil); !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter <= 0 {
			t.Errorf("error = %v", err)
		}
	}
	if c.Circuit() != "open" {
		t.Errorf("the circuit is %s", c.Circuit())
	}
}

// A platform that went away between the question and the calls is noticed by the next ones.
func TestCircuit_PlatformLeavesRepeatedly(t *testing.T) {
	var away atomic.Bool
	answers := func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
	}
	c := client(t, platform(t, answers), upstream.Options{OutagesToOpen: 2, OpenFor: time.Nanosecond})
	for range 3 {
		away.Store(true)
		for range 2 {
			_ = c.JSON(t.Context(), post, nil)
		}
		becomes(t, c, "open")
		away.Store(false)
		if err := c.JSON(t.Context(), post, nil); err != nil {
			t.Errorf("after the platform is back: %v", err)
		}
	}
}
