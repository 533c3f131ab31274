package e2etest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Stopwatch times answers and, at the same time, how late the machine runs a
// goroutine of its own: a busy processor is not taken for a slow answer.
type Stopwatch struct {
	t    testing.TB
	late atomic.Int64
}

const (
	beat = 5 * time.Millisecond
	// busy is the lateness from which on a measurement says nothing.
	busy = 50 * time.Millisecond
)

// NewStopwatch returns a stopwatch that runs until the test is over.
func NewStopwatch(t testing.TB) *Stopwatch {
	t.Helper()
	k := &Stopwatch{t: t}
	done, ticker := make(chan struct{}), time.NewTicker(beat)
	var wait sync.WaitGroup
	wait.Go(func() {
		last := time.Now()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := time.Now()
			k.late.Add(int64(max(0, now.Sub(last)-beat)))
			last = now
		}
	})
	t.Cleanup(func() { ticker.Stop(); close(done); wait.Wait() })
	return k
}

// Within sends and fails the test if the answer takes longer than limit.
func (k *Stopwatch) Within(limit time.Duration, what string, send func() Reply) Reply {
	k.t.Helper()
	r, _ := k.Measure(limit, what, send)
	return r
}

// Measure is Within, and reports whether the machine was idle enough for the
// measurement to count.
func (k *Stopwatch) Measure(limit time.Duration, what string, send func() Reply) (r Reply, sound bool) {
	k.t.Helper()
	begin, late := time.Now(), k.late.Load()
	r = send()
	took := time.Since(begin)
	sound = k.late.Load()-late < int64(busy)
	if sound && took > limit+busy {
		k.t.Errorf("%s: status %d took %v", what, r.Status, took)
	}
	return r, sound
}
