package events

import (
	"context"
	"time"

	"countersign/internal/fault"
)

const (
	// perSession is how many watchers one session has at most, perPerson how many one
	// person has on this node in all of their sessions.
	perSession = 4
	perPerson  = 20
	// fullRetry is when to come back to a hub that is full.
	fullRetry = 5 * time.Second
)

// Watcher says what somebody watches, and who.
type Watcher struct {
	// Topic is read by Fetch, which is the same for all of its watchers.
	Topic string
	Fetch Fetch
	// Person is who watches.
	Person Person
	// Session names the session of whoever watches; Live reports whether it still is one.
	Session string
	Live    func(ctx context.Context) (bool, error)
	// After is the id of the last event that they were told before; zero for none.
	After uint64
}

// viewer is a session that watches.
type viewer struct {
	live    func(ctx context.Context) (bool, error)
	watches map[*Watch]struct{}
}

// Join takes a place among the watchers of a topic, and reads the topic where nobody
// watched it before. Stream or Leave follows.
//
// The error is request.rate where the session or the person has all their places,
// server.unavailable where the node has no more, both with the time after which to try
// again, or Fetch's.
func (h *Hub) Join(ctx context.Context, who Watcher) (*Watch, error) {
	w, err := h.reserve(who)
	if err != nil {
		return nil, err
	}
	if err := h.firstState(ctx, w.topic); err != nil {
		w.Leave()
		return nil, err
	}
	return w, nil
}

// reserve takes the place.
func (h *Hub) reserve(who Watcher) (*Watch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.sessions[who.Session]
	switch {
	case v != nil && len(v.watches) == perSession, h.people[who.Person.User] == perPerson:
		return nil, fault.New(fault.RequestRate).After(fullRetry)
	case h.count == h.Max, h.closed:
		return nil, fault.New(fault.ServerUnavailable).After(fullRetry)
	}
	t := h.topics[who.Topic]
	if t == nil {
		t = &topic{id: who.Topic, fetch: who.Fetch, watches: map[*Watch]struct{}{}}
		h.topics[who.Topic] = t
	}
	if v == nil {
		v = &viewer{watches: map[*Watch]struct{}{}}
		h.sessions[who.Session] = v
	}
	v.live = who.Live // which knows the session's newest token
	w := &Watch{hub: h, topic: t, session: who.Session, person: who.Person, id: who.After}
	h.count++
	h.people[who.Person.User]++
	t.watches[w], v.watches[w] = struct{}{}, struct{}{}
	return w, nil
}

// firstState waits for the state of a topic that nobody watched before.
func (h *Hub) firstState(ctx context.Context, t *topic) error {
	h.mu.Lock()
	if t.known {
		h.mu.Unlock()
		return nil
	}
	answer := make(chan error, 1)
	t.waiting = append(t.waiting, answer)
	if !t.reading {
		t.reading, t.readAt = true, h.Now()
		go h.read(context.WithoutCancel(ctx), t)
	}
	h.mu.Unlock()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fault.Wrap(fault.RequestCancelled, ctx.Err())
	}
}

// remove gives the place of w back; without its last watcher a topic and a session are
// forgotten. h.mu is held.
func (h *Hub) remove(w *Watch) {
	if _, there := w.topic.watches[w]; !there {
		return
	}
	h.count--
	if h.people[w.person.User]--; h.people[w.person.User] == 0 {
		delete(h.people, w.person.User)
	}
	if delete(w.topic.watches, w); len(w.topic.watches) == 0 && h.topics[w.topic.id] == w.topic {
		delete(h.topics, w.topic.id)
	}
	v := h.sessions[w.session]
	if delete(v.watches, w); len(v.watches) == 0 {
		delete(h.sessions, w.session)
	}
}
