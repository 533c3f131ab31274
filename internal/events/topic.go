package events

import (
	"bytes"
	"context"
	"slices"
	"time"

	"countersign/internal/fault"
)

// topic is what the hub knows of one topic while somebody watches it. The hub's lock
// guards it.
type topic struct {
	id      string
	fetch   Fetch
	watches map[*Watch]struct{}

	state   State
	known   bool         // there is a state
	readAt  time.Time    // when it was last begun to be read
	reading bool         // it is being read, or about to be
	again   bool         // a hint came meanwhile
	failing bool         // it could not be read the last time
	waiting []chan error // who joined and waits for the first state
}

// enqueue has a topic read that is not being read. h.mu is held.
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
		again = h.learn(t, state, err)
	}
}

// learn takes over what was read and reports whether to read on.
func (h *Hub) learn(t *topic, state State, err error) bool {
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
		h.Logger.Warn("a watched topic could not be read", "cause", err.Error())
	}
	t.failing = err != nil
	t.reading = t.again && len(t.watches) > 0
	t.again = false
	return t.reading
}

// publish tells the watchers of t what has changed with state. h.mu is held.
func (h *Hub) publish(t *topic, state State) {
	var news []Fact
	for _, fact := range state.Facts {
		if !t.tells(fact) {
			news = append(news, fact)
		}
	}
	t.state, t.known = state, true
	for w := range t.watches {
		if w.conn != nil {
			w.tell(state, news)
		}
	}
}

// tells reports whether fact is known of t.
func (t *topic) tells(fact Fact) bool {
	return slices.ContainsFunc(t.state.Facts, func(f Fact) bool { return f.Name == fact.Name && bytes.Equal(f.Data, fact.Data) })
}

// end ends the streams of watches, which come back or hear why not. h.mu is held.
func (h *Hub) end(watches map[*Watch]struct{}) {
	for w := range watches {
		if w.conn != nil {
			w.close()
		}
	}
}
