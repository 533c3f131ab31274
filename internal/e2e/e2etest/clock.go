package e2etest

import (
	"io"
	"sync/atomic"
	"testing"
	"time"
)

// Clock is the clock of Countersign and of the sandbox in it, which a test moves.
type Clock struct{ ahead atomic.Int64 }

// Now returns the time by the clock.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Advance moves the clock forward.
func (c *Clock) Advance(over time.Duration) { c.ahead.Add(int64(over)) }

// BootWithClock is Boot with a clock that the test moves.
func BootWithClock(t testing.TB, settings ...string) (*App, *Clock) {
	t.Helper()
	c := &Clock{}
	return start(t, unopened(t, options{log: io.Discard, now: c.Now}, embedded(settings))), c
}
