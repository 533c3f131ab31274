package redistest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// beat is how often a Stopwatch looks how late the machine is.
const beat = 5 * time.Millisecond

// Stopwatch times what a test waits for without what the machine was late by meanwhile,
// which it tells by a goroutine of its own: a busy processor is not taken for a slow answer.
type Stopwatch struct{ late atomic.Int64 }

// NewStopwatch returns a stopwatch that runs until the test is over.
func NewStopwatch(t testing.TB) *Stopwatch {
	t.Helper()
	w := &Stopwatch{}
	done, ticker := make(chan struct{}), time.NewTicker(beat)
	var wait sync.WaitGroup
	wait.Go(func() {
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := time.Now()
			w.late.Add(int64(max(0, now.Sub(last)-beat)))
			last = now
		}
	})
	t.Cleanup(func() { ticker.Stop(); close(done); wait.Wait() })
	return w
}

// Late is by how much the machine has been late so far, and a quarter more: what is waited
// for is late as often as it changes goroutines, and the Stopwatch has but one.
func (w *Stopwatch) Late() time.Duration { return time.Duration(w.late.Load()) * 5 / 4 }

// Time is what act took, without what the machine was late by.
func (w *Stopwatch) Time(act func() error) (took time.Duration, err error) {
	begin, before := time.Now(), w.Late()
	err = act()
	return time.Since(begin) - (w.Late() - before), err
}
