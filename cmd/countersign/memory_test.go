package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// In production the garbage collector runs seldom, unless Go's own variables say
// otherwise; outside production nothing changes.
func TestMemory_CollectorInProduction(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	for name, tc := range map[string]struct {
		environ    []string
		production bool
		percent    int
		limit      int64
	}{
		"embedded":                {nil, false, 123, math.MaxInt64},
		"production":              {nil, true, gcPercent, memoryLimit},
		"production, by GOGC":     {[]string{"GOGC=123"}, true, 123, memoryLimit},
		"production, GOGC off":    {[]string{"GOGC=off", "GOMEMLIMIT=1GiB"}, true, -1, math.MaxInt64},
		"production, unset again": {[]string{"GOGC=1", "GOGC="}, true, gcPercent, memoryLimit},
	} {
		debug.SetMemoryLimit(math.MaxInt64) // as the runtime left it
		before := 123
		if tc.percent < 0 {
			before = -1
		}
		command{environ: tc.environ}.tune(tc.production, before)
		if got, most := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); got != tc.percent || most != tc.limit {
			t.Errorf("%s: %d percent, %d bytes", name, got, most)
		}
	}
}
