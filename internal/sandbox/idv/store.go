package idv

import (
	"slices"
	"sync"
	"time"
)

// store holds the transactions. It is safe for concurrent use.
type store struct {
	now  func() time.Time
	tell func([]event) // what happened, in its order; mu is held

	mu           sync.Mutex
	transactions map[string]*transaction
	dues         []deadline // the next one first
	callbackURL  string     // "": nobody is told
	evidenceSize int64      // 0: as it comes
}

// deadline is when something happens to a transaction by itself.
type deadline struct {
	at time.Time
	id string
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.transactions, s.dues, s.callbackURL, s.evidenceSize = map[string]*transaction{}, nil, "", 0
}

// create keeps a new transaction and tells of it.
func (s *store) create(t *transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.note(notified("transaction_created"), t.created)
	s.put(t)
	s.tell(t.events)
}

// add keeps new transactions of which nobody is told.
func (s *store) add(made []*transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range made {
		s.put(t)
	}
}

// find is the transaction, or the platform's 404.
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

// change lets act change a transaction while nobody else does; an error changes
// nothing.
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
	s.tell(after.events[len(before.events):])
	if s.pass(); s.transactions[id] == nil {
		return &after, nil
	}
	return s.transactions[id], nil
}

// put keeps t, and when it will have to be looked at; s.mu is held.
func (s *store) put(t *transaction) {
	s.transactions[t.id] = t
	if at, ok := t.due(); ok {
		i, _ := slices.BinarySearchFunc(s.dues, at, func(one deadline, at time.Time) int {
			if one.at.After(at) {
				return 1
			}
			return -1 // Those of the same time come before it.
		})
		s.dues = slices.Insert(s.dues, i, deadline{at, t.id})
	}
}

// advance does what has become due.
func (s *store) advance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
}

// pass does what has become due: transactions expire and are erased, audit trails
// become ready; s.mu is held.
func (s *store) pass() {
	now := s.now()
	for len(s.dues) > 0 && !s.dues[0].at.After(now) {
		id := s.dues[0].id
		s.dues = s.dues[1:]
		before, ok := s.transactions[id]
		if !ok {
			continue
		}
		if at, waits := before.due(); !waits || at.After(now) {
			continue
		}
		if before.erased(now) {
			delete(s.transactions, id)
			continue
		}
		after := *before
		after.pass(now)
		s.put(&after)
		s.tell(after.events[len(before.events):])
	}
}

// due is when something will happen to the transaction by itself; false is never.
func (t *transaction) due() (at time.Time, waits bool) {
	var times []time.Time
	if t.active() {
		times = append(times, t.expires())
	}
	if !t.erasure.IsZero() {
		times = append(times, t.erasure)
	}
	if t.trail != nil && !t.trail.told {
		times = append(times, t.trail.ready())
	}
	if len(times) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(times, time.Time.Compare), true
}

// pass does what has become due.
func (t *transaction) pass(now time.Time) {
	if t.trail != nil && !t.trail.told && !t.trail.ready().After(now) {
		told := *t.trail
		told.told = true
		t.trail = &told
		t.note(notified("audit_trail_generated"), told.ready())
	}
	if t.active() && !t.expires().After(now) {
		t.end(statusExpired, t.expires())
	}
}

// erased reports whether the transaction is to be gone.
func (t *transaction) erased(now time.Time) bool { return !t.erasure.IsZero() && !t.erasure.After(now) }
