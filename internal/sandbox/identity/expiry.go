package identity

import (
	"sync"
	"time"
)

// expiring keeps values by id for one fixed lifetime. They expire in the order of their
// arrival, because all have the same lifetime and the clock goes back only with clear.
type expiring[T any] struct {
	lifetime time.Duration

	mu      sync.Mutex
	entries map[string]T
	queue   []deadline
}

type deadline struct {
	id string
	at time.Time
}

func newExpiring[T any](lifetime time.Duration) *expiring[T] {
	return &expiring[T]{lifetime: lifetime, entries: map[string]T{}}
}

func (e *expiring[T]) add(id string, value T, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(now)
	e.entries[id] = value
	e.queue = append(e.queue, deadline{id: id, at: now.Add(e.lifetime)})
}

// take returns and forgets the value if it exists and mine accepts it. Of two concurrent
// takers, one gets it.
func (e *expiring[T]) take(id string, now time.Time, mine func(T) bool) (T, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(now)
	value, ok := e.entries[id]
	if !ok || !mine(value) {
		var none T
		return none, false
	}
	delete(e.entries, id)
	return value, true
}

// change lets act read and change the value under a lock; it returns false if there is
// none.
func (e *expiring[T]) change(id string, now time.Time, act func(*T)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(now)
	value, ok := e.entries[id]
	if !ok {
		return false
	}
	act(&value)
	e.entries[id] = value
	return true
}

// each lets see look at all values, the oldest first.
func (e *expiring[T]) each(now time.Time, see func(id string, value T)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(now)
	for _, one := range e.queue {
		if value, ok := e.entries[one.id]; ok {
			see(one.id, value)
		}
	}
}

func (e *expiring[T]) clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.entries)
	e.queue = nil
}

func (e *expiring[T]) forget(now time.Time) {
	for len(e.queue) > 0 && !now.Before(e.queue[0].at) {
		delete(e.entries, e.queue[0].id)
		e.queue = e.queue[1:]
	}
}
