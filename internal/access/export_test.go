package access

import "context"

// SweepNow sweeps, as Run does.
func (x *Index) SweepNow(ctx context.Context) error { return x.sweepOnce(ctx) }
