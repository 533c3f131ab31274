package events

import (
	"bytes"
	"context"
	"slices"
	"time"

	"countersign/internal/fault"
)

// topic is the hub's state of one watched topic. The hub's lock guards it.
type topic struct {
	id      string
	fetch   Fetch
	watches map[*Watch]struct{}

	state   State
	known   bool         // the state was read
	readAt  time.Time    // when the last reading began
	reading bool         // a reading is under way or queued
	again   bool         // a hint came during the reading
	failing bool         // the last reading failed
	waiting []chan error // watchers who joined and wait for the first state
}

// enqueue queues t for reading, unless it is being read. h.mu is held.
func (h *Hub) enqueue(t *topic) {
	if t.reading {
		return
	}
	t.reading, t.readAt = true, h.Now()
	select {
	case h.due <- t:
	default: // the next hint or time comes soon
		t.reading = false
	}
}

// read reads a topic, once more if a hint came meanwhile, and tells its watchers.
func (h *Hub) read(ctx context.Context, t *topic) {
	for again := true; again; {
		state, err := t.fetch(ctx)
		again = h.finishReading(t, state, err)
	}
}

// finishReading stores a reading's result and reports whether to read again.
func (h *Hub) finishReading(t *topic, state State, err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, answer := range t.waiting {
		answer <- err
	}
	t.waiting = nil
	switch {
	case err == nil:
		h.publish(t, state)
	case fault.Is(err, fault.RequestNotFound):
		h.end(t.watches)
	case !t.failing: // what goes on failing is logged once
		h.Logger.Warn("watched topic not read", "cause", err.Error())
	}
	t.failing = err != nil
	t.reading = t.again && len(t.watches) > 0
	t.again = false
	return t.reading
}

// publish sends the watchers of t the facts that changed. h.mu is held.
func (h *Hub) publish(t *topic, state State) {
	var news []Fact
	for _, fact := range state.Facts {
		if !t.hasFact(fact) {
			news = append(news, fact)
		}
	}
	t.state, t.known = state, true
	for w := range t.watches {
		if w.conn != nil {
			w.send(state, news)
		}
	}
}

// hasFact reports whether t's last state contains fact.
func (t *topic) hasFact(fact Fact) bool {
	return slices.ContainsFunc(t.state.Facts, func(f Fact) bool { return f.Name == fact.Name && bytes.Equal(f.Data, fact.Data) })
}

// end ends the streams of watches, whose clients reconnect or learn the reason. h.mu is
// held.
func (h *Hub) end(watches map[*Watch]struct{}) {
	for w := range watches {
		if w.conn != nil {
			w.close()
		}
	}
}
