package wire

import (
	"sync/atomic"
	"time"
)

// Clock is the platform's time: the real time, moved ahead on request.
type Clock struct {
	real   func() time.Time
	offset atomic.Int64
}

// NewClock returns a clock that shows the time of real.
func NewClock(real func() time.Time) *Clock { return &Clock{real: real} }

// Now returns the platform's time.
func (c *Clock) Now() time.Time { return c.real().Add(time.Duration(c.offset.Load())) }

// Advance moves the clock ahead.
func (c *Clock) Advance(by time.Duration) { c.offset.Add(int64(by)) }

func (c *Clock) reset() { c.offset.Store(0) }
