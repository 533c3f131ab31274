package index

import (
	"context"
	"time"
)

// Stats are the index in numbers.
type Stats struct {
	// Built says that the index is whole: until then there are no lists.
	Built bool
	// Age is how long ago the last sweep began that was carried through; zero before the
	// first.
	Age time.Duration
	// Packages are in the index; Waiting callbacks are not worked off.
	Packages, Waiting int64
}

// Stats counts, in one round trip. The error is an outage.
func (x *Index) Stats(ctx context.Context) (Stats, error) {
	_, s, err := x.readState(ctx)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{Built: !s.built.IsZero(), Packages: s.size, Waiting: s.waiting}
	if !s.swept.IsZero() {
		stats.Age = x.now().Sub(s.swept)
	}
	return stats, nil
}
