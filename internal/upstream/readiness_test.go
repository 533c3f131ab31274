package upstream_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Before the circuit opens, and when a trial is due, Ready lets callers through; in
// between it returns the refusal.
func TestReady_CircuitStates(t *testing.T) {
	url, calls := script(t, 503, 503)
	c := client(t, url, upstream.Options{OutagesToOpen: 2, OpenFor: time.Hour})
	for range 2 {
		if err := c.Ready(t.Context()); err != nil {
			t.Errorf("before the circuit opens: %v", err)
		}
		_ = c.JSON(t.Context(), post, nil)
	}
	becomes(t, c, "open")
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

func TestReady_TrialDue(t *testing.T) {
	c, asked, answer := trial(t)
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("when a trial is due: %v", err)
	}
	result := make(chan error)
	go func() { result <- c.JSON(t.Context(), post, nil) }()
	<-asked
	if err := c.Ready(t.Context()); !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter < time.Second {
		t.Errorf("during the trial: %v", err)
	}
	answer <- http.StatusOK
	if err := <-result; err != nil {
		t.Errorf("the call that waited: %v", err)
	}
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("after the trial: %v", err)
	}
}
