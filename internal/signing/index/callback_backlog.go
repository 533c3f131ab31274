package index

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

const (
	// takeWithin limits how long a callback waits for Redis. The platform tells its sender
	// by e-mail of a callback that gets no answer in time, and never sends it again.
	takeWithin = 3 * time.Second
	// maxLate limits the packages of which callbacks wait in memory.
	maxLate = 10_000
)

// backlog holds the ids of packages whose callbacks came while Redis was away. It is safe for
// concurrent use.
type backlog struct {
	mu   sync.Mutex
	ids  map[string]bool
	full bool // one had no room, and add has told so
}

// add keeps ids. It returns false the first time that there is no room for one.
func (l *backlog) add(ids ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil {
		l.ids = map[string]bool{}
	}
	for _, id := range ids {
		if len(l.ids) >= maxLate && !l.ids[id] {
			told := l.full
			l.full = true
			return told
		}
		l.ids[id] = true
	}
	return true
}

// take returns all ids, which it forgets.
func (l *backlog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := slices.Collect(maps.Keys(l.ids))
	l.ids, l.full = nil, false
	return ids
}

func (l *backlog) count() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.ids))
}

// Take is Callback for the platform's own event, which comes once: while Redis is away it
// waits in memory, and Run stores it later. What has no room there, and what a node that
// stops has not stored, a sweep finds. The error is request.malformed alone.
func (x *Index) Take(ctx context.Context, event []byte) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeWithin)
	defer cancel()
	err := x.Callback(within, event)
	if err == nil || fault.Is(err, fault.RequestMalformed) {
		return err
	}
	x.keepLate(ctx, err, signing.EventPackage(event))
	return nil
}

// keepLate keeps ids in memory, and logs once that there is no room for more.
func (x *Index) keepLate(ctx context.Context, cause error, ids ...string) {
	if !x.late.add(ids...) {
		x.logger.WarnContext(ctx, "callbacks dropped", "cause", cause.Error())
	}
}

// storeLate stores the callbacks that came while Redis was away.
func (x *Index) storeLate(ctx context.Context) error {
	ids := x.late.take()
	for i, id := range ids {
		if err := x.store(ctx, id); err != nil {
			x.keepLate(ctx, err, ids[i:]...)
			return err
		}
	}
	return nil
}
