package index

import (
	"context"
	"time"
)

// Stats are the numbers of an index.
type Stats struct {
	// Built says that a full sweep has ended: before that, there are no lists.
	Built bool
	// Age is the time since the last completed sweep began; zero before the first.
	Age time.Duration
	// Packages counts the packages in the index, Waiting the callbacks to process.
	Packages, Waiting int64
}

// Stats returns the index's numbers, in one round trip. The error is an outage.
func (x *Index) Stats(ctx context.Context) (Stats, error) {
	_, s, err := x.readState(ctx)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{Built: !s.built.IsZero(), Packages: s.size, Waiting: s.waiting + x.late.count()}
	if !s.swept.IsZero() {
		stats.Age = x.now().Sub(s.swept)
	}
	return stats, nil
}
