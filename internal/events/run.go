package events

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// beat is the interval at which the hub looks for due work.
	beat = 250 * time.Millisecond
	// readEvery is the interval at which a watched topic is read.
	readEvery = 2 * time.Second
	// readers limits how many topics are read at a time.
	readers = 16
	// liveEvery is the interval at which the hub checks that watching sessions are still
	// signed in, lookers the number checked at a time.
	liveEvery = 2 * time.Second
	lookers   = 8
	// checkEvery is the interval at which each watching session is checked, checkers the
	// number checked at a time.
	checkEvery = time.Minute
	checkers   = 8
)

// Run does the hub's work until ctx ends. Then every stream ends, and its client
// reconnects to another node.
func (h *Hub) Run(ctx context.Context) {
	var work sync.WaitGroup
	for range readers {
		work.Go(func() { h.readDue(ctx) })
	}
	work.Go(func() { h.listen(ctx) })
	work.Go(func() { every(ctx, h.beat) })
	work.Go(func() { every(ctx, func() { h.endSignedOut(ctx) }) })
	work.Go(func() { every(ctx, func() { h.checkDue(ctx) }) })
	work.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, t := range h.topics {
		for w := range t.watches {
			if w.conn != nil {
				w.write([]byte(retry))
				w.close()
			}
		}
	}
}

// every calls work at each beat until ctx ends.
func every(ctx context.Context, work func()) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

// readDue reads topics that are due.
func (h *Hub) readDue(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-h.due:
			h.read(ctx, t)
		}
	}
}

// beat sends due comments and queues due topics for reading.
func (h *Hub) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	for _, t := range h.topics {
		for w := range t.watches {
			w.beat(now)
		}
		if len(t.watches) > 0 && now.Sub(t.readAt) >= readEvery {
			h.enqueue(t)
		}
	}
}

// endSignedOut ends the streams of ended sessions, each time that a check is due. A
// session that Redis does not answer for in time counts as still signed in.
func (h *Hub) endSignedOut(ctx context.Context) {
	now := h.Now()
	if now.Sub(h.checkedAt) < liveEvery {
		return
	}
	h.checkedAt = now
	ctx, cancel := context.WithTimeout(ctx, liveEvery)
	defer cancel()
	var look errgroup.Group
	look.SetLimit(lookers)
	for id, live := range h.viewers() {
		if ctx.Err() != nil {
			break
		}
		look.Go(func() error {
			if is, err := live(ctx); err == nil && !is {
				h.endSession(id)
			}
			return nil
		})
	}
	_ = look.Wait()
}

// checkDue checks the watching sessions whose minute is over, and ends the streams of those
// that are refused.
func (h *Hub) checkDue(ctx context.Context) {
	var checks errgroup.Group
	checks.SetLimit(checkers)
	for id, check := range h.dueChecks() {
		checks.Go(func() error {
			if ctx.Err() == nil && !check(ctx) {
				h.endSession(id)
			}
			return nil
		})
	}
	_ = checks.Wait()
}

// dueChecks returns, by session, the checks that are due, and puts the next ones off.
func (h *Hub) dueChecks() map[string]func(context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	due, now := map[string]func(context.Context) bool{}, h.Now()
	for id, v := range h.sessions {
		if v.check != nil && !now.Before(v.checkAt) {
			due[id], v.checkAt = v.check, now.Add(checkEvery)
		}
	}
	return due
}

func (h *Hub) endSession(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.sessions[id]; v != nil {
		h.end(v.watches)
	}
}

// viewers returns, by session, the functions that tell whether the session is still
// signed in.
func (h *Hub) viewers() map[string]func(context.Context) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[string]func(context.Context) (bool, error), len(h.sessions))
	for id, v := range h.sessions {
		all[id] = v.live
	}
	return all
}
