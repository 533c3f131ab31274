package upstream_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Before the circuit opens, and when a trial is due, Ready lets callers through; in
// between it returns the refusal.
func TestReady(t *testing.T) {
	url, calls := script(t, 503, 503)
	c := client(t, url, upstream.Options{OutagesToOpen: 2, OpenFor: time.Hour})
	for range 2 {
		if err := c.Ready(t.Context()); err != nil {
			t.Errorf("before the circuit opens: %v", err)
		}
		_ = c.JSON(t.Context(), post, nil)
	}
	for range 2 { // asking takes no permit
		err := c.Ready(t.Context())
		if !fault.Is(err, fault.PlatformUnavailable) || !fault.From(err).Row().Retryable {
			t.Errorf("while it is open: %v", err)
		}
		if after := fault.From(err).RetryAfter; after < 59*time.Minute || after > time.Hour {
			t.Errorf("Retry-After = %v, want what is left of the hour", after)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls reached the platform, want 2", calls.Load())
	}
}

func TestReadyForATrial(t *testing.T) {
	arrived, release := make(chan bool), make(chan bool)
	var calls atomic.Int32
	url := platform(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		arrived <- true
		<-release
	})
	c := client(t, url, upstream.Options{OutagesToOpen: 1, OpenFor: time.Nanosecond})
	_ = c.JSON(t.Context(), post, nil)
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("when a trial is due: %v", err)
	}
	trial := make(chan error)
	go func() { trial <- c.JSON(t.Context(), post, nil) }()
	<-arrived
	if err := c.Ready(t.Context()); !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter < time.Second {
		t.Errorf("during the trial: %v", err)
	}
	release <- true
	if err := <-trial; err != nil {
		t.Errorf("the trial: %v", err)
	}
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("after the trial: %v", err)
	}
}
