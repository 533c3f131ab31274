package index

import "context"

// SweepNow sweeps, as Run does.
func (x *Index) SweepNow(ctx context.Context) error { return x.sweepOnce(ctx) }

// WorkOffNow works callbacks off, as Run does.
func (x *Index) WorkOffNow(ctx context.Context) error { return x.workOff(ctx) }
