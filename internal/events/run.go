package events

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// beat is how often the hub looks at what is due.
	beat = 250 * time.Millisecond
	// readEvery is how old the state of a watched topic gets.
	readEvery = 2 * time.Second
	// readers is how many topics are read at a time.
	readers = 16
	// liveEvery is how often the hub looks whether a session that watches still is one,
	// lookers how many it looks for at a time.
	liveEvery = 2 * time.Second
	lookers   = 8
)

// Run does the hub's work until ctx ends. Then every stream ends; its client comes back
// to another node.
func (h *Hub) Run(ctx context.Context) {
	var work sync.WaitGroup
	for range readers {
		work.Go(func() { h.readDue(ctx) })
	}
	work.Go(func() { h.listen(ctx) })
	work.Go(func() { every(ctx, h.beat) })
	work.Go(func() { every(ctx, func() { h.endSignedOut(ctx) }) })
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

// every does work at each beat until ctx ends.
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

// listen takes the hints of all nodes. What is lost while Redis is away costs two
// seconds.
func (h *Hub) listen(ctx context.Context) {
	hints := h.Redis.Subscribe(ctx, h.Channel)
	defer hints.Close()
	messages := hints.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, open := <-messages:
			if !open {
				return
			}
			h.hinted(m.Payload)
		}
	}
}

// beat sends what is due and has topics read that are.
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

// endSignedOut ends the streams of sessions that are over, when that is due. Whose session
// Redis does not tell of in time does not count as signed out.
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

func (h *Hub) endSession(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.sessions[id]; v != nil {
		h.end(v.watches)
	}
}

// viewers are the sessions that watch, each with what tells whether it still is one.
func (h *Hub) viewers() map[string]func(context.Context) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[string]func(context.Context) (bool, error), len(h.sessions))
	for id, v := range h.sessions {
		all[id] = v.live
	}
	return all
}
