package events

import (
	"context"
	"time"

	"countersign/internal/fault"
)

const (
	// perSession limits the watchers of one session, perPerson those of one person on
	// this node over all of their sessions.
	perSession = 4
	perPerson  = 20
	// fullRetry is the retry time of a full hub.
	fullRetry = 5 * time.Second
)

// Watcher says who watches which topic.
type Watcher struct {
	// Topic is read by Fetch, which all of the topic's watchers share.
	Topic string
	Fetch Fetch
	// Person is the watcher's identity.
	Person Person
	// Session names the watcher's session; Live reports whether it is still signed in.
	Session string
	Live    func(ctx context.Context) (bool, error)
	// Check is called once a minute; it returns false if the session's streams are to end,
	// because the person may see something else from now on. Nil is not called.
	Check func(ctx context.Context) bool
	// After is the id of the last event that the watcher received before, or zero.
	After uint64
}

// viewer is a session that watches.
type viewer struct {
	live    func(ctx context.Context) (bool, error)
	check   func(ctx context.Context) bool // may be nil
	checkAt time.Time
	watches map[*Watch]struct{}
}

// Join takes a place among the watchers of a topic, and reads the topic if nobody watched
// it before. The caller then calls Stream or End.
//
// The error is request.rate if the session or the person has all their places,
// server.unavailable if the node has no place left, both with a retry time, or Fetch's.
func (h *Hub) Join(ctx context.Context, who Watcher) (*Watch, error) {
	w, err := h.reserve(who)
	if err != nil {
		return nil, err
	}
	if err := h.firstState(ctx, w.topic); err != nil {
		w.End()
		return nil, err
	}
	return w, nil
}

// reserve takes a place.
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
		v = &viewer{watches: map[*Watch]struct{}{}, checkAt: h.Now().Add(checkEvery)}
		h.sessions[who.Session] = v
	}
	v.live, v.check = who.Live, who.Check // which know the session's newest token
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

// remove frees the place of w; topics and sessions without watchers are forgotten. h.mu
// is held.
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
