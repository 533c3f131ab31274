package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// program runs this test binary as the program itself, for tests that need a process of
// its own.
var program = e2etest.Binary{Path: os.Args[0], Environ: []string{"TEST_BINARY_ROLE=program"}}

var _ = func() bool {
	if os.Getenv("TEST_BINARY_ROLE") == "program" {
		main()
	}
	return true
}()

// drainTimeout is the default of COUNTERSIGN_DRAIN_TIMEOUT.
const drainTimeout = 10 * time.Second

// When told to end, the program lets requests finish, for ten seconds at most.
func TestDrain_LetsRequestsFinish(t *testing.T) {
	for _, tc := range []struct {
		name, delay string
		status      int // of the request under way; 0 is no answer
		exit        int
		atLeast     time.Duration
	}{
		{"a request that ends", "1s", http.StatusOK, 0, 0},
		{"a request without end", "60s", 0, 1, drainTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			watch := e2etest.NewStopwatch(t)
			p := program.Start(t, "serve", "COUNTERSIGN_UPSTREAM_TIMEOUT=60s", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
			p.Post(p.Sandbox+"/_manage/faults", `{"operation":"login","delay":"`+tc.delay+`"}`)
			answered := make(chan int, 1)
			go func() { answered <- p.Post(p.URL+"/users/alice@sandbox/login", e2etest.RightPassword) }()
			e2etest.Eventually(t, "the platform is called", func() bool { return strings.Contains(p.Get(p.Sandbox+"/_manage/journal"), `"login"`) })
			begin := time.Now()
			watch.Within(2*drainTimeout, "the end", func() (r e2etest.Reply) {
				p.Terminate()
				_ = p.Wait() // the exit status is looked at below
				return r
			})
			if took := time.Since(begin); took < tc.atLeast {
				t.Errorf("it ended after %v, and a request was under way", took)
			}
			if status := <-answered; status != tc.status {
				t.Errorf("the request under way ended in %d", status)
			}
			if exit := p.ProcessState.ExitCode(); exit != tc.exit {
				t.Errorf("exit status %d", exit)
			}
		})
	}
}

// While the program drains, it answers new requests with Connection: close; a second
// signal ends it at once.
func TestDrain_ListensUntilSecondSignal(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	logged := program
	logged.Log = &log
	p := logged.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_DRAIN_DELAY=1h")
	ready := func() bool { return p.Get(p.Admin+"/readyz") == "ready\n" }
	e2etest.Eventually(t, "ready", ready)
	p.Terminate()
	e2etest.Eventually(t, "not ready", func() bool { return !ready() })
	e2etest.Eventually(t, "the log says why", func() bool { return strings.Contains(log.String(), "msg=draining duration=1h0m0s") })
	for range 3 {
		response, err := http.Get(p.URL + "/session")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized || !response.Close {
			t.Errorf("while it drains: status %d, the connection ends: %t", response.StatusCode, response.Close)
		}
	}
	p.Terminate()
	_ = p.Wait() // it was ended
	if state, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || state.Signal() != syscall.SIGTERM {
		t.Errorf("after a second signal: %v", p.ProcessState)
	}
	if strings.Contains(log.String(), "msg=stopping") {
		t.Errorf("the second signal was waited for:\n%s", log.String())
	}
}

// The shipped program's metrics name the same version as `countersign version`.
func TestMetrics_NameVersion(t *testing.T) {
	t.Parallel()
	p := program.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
	want := fmt.Sprintf("\ncountersign_build_info{goversion=%q,version=%q} 1\n", runtime.Version(), version())
	if metrics := p.Get(p.Admin + "/metrics"); !strings.Contains(metrics, want) {
		t.Errorf("the metrics lack %s", want)
	}
	p.Terminate()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// A program that was told to end ends by itself when the drain delay is over.
func TestDrain_DelayEnds(t *testing.T) {
	t.Parallel()
	p := program.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_DRAIN_DELAY=100ms")
	p.Terminate()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}
