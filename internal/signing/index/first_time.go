package index

import (
	"context"
	"time"

	"countersign/internal/access"
)

// firstTimeFor limits how long FirstTime remembers.
const firstTimeFor = 400 * 24 * time.Hour

// FirstTime reports whether it is asked about something for the first time, on all nodes
// together; a lost index forgets. The error is an outage.
func (x *Index) FirstTime(ctx context.Context, what string) (bool, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return false, err
	}
	first, err := x.spaces.Redis.SetNX(ctx, s.Prefix+"t:"+s.Sealer.Name("told "+what), 1, firstTimeFor).Result()
	if err != nil {
		return false, access.Outage(ctx, "remember what was told", err)
	}
	return first, nil
}
