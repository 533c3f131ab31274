package idv

import (
	"slices"
	"sync"
	"time"

	"countersign/internal/sandbox/wire"
)

// store holds the transactions. It is safe for concurrent use.
type store struct {
	now        func() time.Time
	sendEvents func([]event) // called with the events in order; mu is held

	mu           sync.Mutex
	transactions map[string]*transaction
	dues         wire.Deadlines
	callbackURL  string // "" sends no events
	evidenceSize int64  // 0: the natural size
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.transactions, s.dues, s.callbackURL, s.evidenceSize = map[string]*transaction{}, wire.Deadlines{}, "", 0
}

// create stores a new transaction and sends its events.
func (s *store) create(t *transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(t)
	s.sendEvents(t.events)
}

// add stores new transactions without sending events.
func (s *store) add(made []*transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range made {
		s.put(t)
	}
}

// find returns the transaction, or the platform's 404.
func (s *store) find(id string) (*transaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	t, ok := s.transactions[id]
	if !ok {
		return nil, unknown("transaction")
	}
	return t, nil
}

// change lets act change a transaction under a lock; after an error nothing is changed.
func (s *store) change(id string, act func(*transaction, time.Time) error) (*transaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	before, ok := s.transactions[id]
	if !ok {
		return nil, unknown("transaction")
	}
	now := s.now()
	after := *before
	after.version++
	after.touched = now
	if err := act(&after, now); err != nil {
		return nil, err
	}
	s.put(&after)
	s.sendEvents(after.events[len(before.events):])
	if s.pass(); s.transactions[id] == nil {
		return &after, nil
	}
	return s.transactions[id], nil
}

// put stores t and its next deadline; s.mu is held.
func (s *store) put(t *transaction) {
	s.transactions[t.id] = t
	if at, ok := t.due(); ok {
		s.dues.Add(at, t.id)
	}
}

// advance carries out all that has become due.
func (s *store) advance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
}

// pass carries out all that has become due: transactions expire and are erased, audit
// trails become ready; s.mu is held.
func (s *store) pass() {
	now := s.now()
	over := func(at time.Time) bool { return !at.After(now) }
	for id, ok := s.dues.Take(over); ok; id, ok = s.dues.Take(over) {
		before, ok := s.transactions[id]
		if !ok {
			continue
		}
		if at, waits := before.due(); !waits || !over(at) {
			continue
		}
		if before.erased(now) {
			delete(s.transactions, id)
			continue
		}
		after := *before
		after.pass(now)
		s.put(&after)
		s.sendEvents(after.events[len(before.events):])
	}
}

// due returns the time of the transaction's next automatic change; waits is false if
// there is none.
func (t *transaction) due() (at time.Time, waits bool) {
	var times []time.Time
	if t.active() {
		times = append(times, t.expires())
	}
	if !t.erasure.IsZero() {
		times = append(times, t.erasure)
	}
	if t.trail != nil && !t.trail.announced {
		times = append(times, t.trail.ready())
	}
	if len(times) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(times, time.Time.Compare), true
}

// pass carries out what has become due.
func (t *transaction) pass(now time.Time) {
	if t.trail != nil && !t.trail.announced && !t.trail.ready().After(now) {
		announced := *t.trail
		announced.announced = true
		t.trail = &announced
		t.note(notified("audit_trail_generated"), announced.ready())
	}
	if t.active() && !t.expires().After(now) {
		t.end(statusExpired, t.expires())
	}
}

// erased reports whether the transaction is due to be erased.
func (t *transaction) erased(now time.Time) bool { return !t.erasure.IsZero() && !t.erasure.After(now) }
