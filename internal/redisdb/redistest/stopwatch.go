package redistest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// beat is the interval at which a Stopwatch measures the machine's delay.
const beat = 5 * time.Millisecond

// Stopwatch measures durations without the delays of a busy machine, which a goroutine of
// its own detects: a busy processor does not look like a slow answer.
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

// Late returns the machine's delay so far, and a quarter more: the measured code is
// delayed each time it switches goroutines, and the Stopwatch has only one.
func (w *Stopwatch) Late() time.Duration { return time.Duration(w.late.Load()) * 5 / 4 }

// Time returns how long act took, without the machine's delay.
func (w *Stopwatch) Time(act func() error) (took time.Duration, err error) {
	begin, before := time.Now(), w.Late()
	err = act()
	return time.Since(begin) - (w.Late() - before), err
}
