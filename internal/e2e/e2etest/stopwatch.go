package e2etest

import (
	"testing"
	"time"

	"countersign/internal/redisdb/redistest"
)

// Stopwatch measures answers and, at the same time, the machine's delay in running a
// separate goroutine, so that a busy processor does not look like a slow answer.
type Stopwatch struct {
	*redistest.Stopwatch
	t testing.TB
}

const (
	// busy is the delay from which on the machine does not count as idle.
	busy = 50 * time.Millisecond
	// leeway is added to the limits for the machine's other work. A hanging answer takes
	// seconds longer.
	leeway = 500 * time.Millisecond
)

// NewStopwatch returns a stopwatch that runs until the test is over.
func NewStopwatch(t testing.TB) *Stopwatch {
	t.Helper()
	return &Stopwatch{redistest.NewStopwatch(t), t}
}

// Within sends and fails the test if the answer takes longer than limit.
func (k *Stopwatch) Within(limit time.Duration, what string, send func() Reply) Reply {
	k.t.Helper()
	r, _ := k.Measure(limit, what, send)
	return r
}

// Measure is Within, and reports whether the machine was idle meanwhile. Every
// measurement counts: the machine's delay is subtracted, however large it is.
func (k *Stopwatch) Measure(limit time.Duration, what string, send func() Reply) (r Reply, idle bool) {
	k.t.Helper()
	begin, before := time.Now(), k.Late()
	r = send()
	took, late := time.Since(begin), k.Late()-before
	if took-late > limit+leeway {
		k.t.Errorf("%s: status %d took %v, with the machine late by %v", what, r.Status, took, late)
	}
	return r, late < busy
}
