package session

import "sync"

// memoSize is how many sessions a generation of the memo has.
const memoSize = 4096

// memo remembers the states of sessions that were opened, by tag: deriving a key and
// opening a state with it is most of what loading costs. A state counts only for the
// very bytes that it was opened from, so Redis is asked every time, and what ends or
// changes a session there does so at once. The memo holds no token and nothing made of
// a session key.
//
// There are two generations: when the younger one is full, the older one is forgotten.
// So the memo is bounded, and keeps those who come again.
type memo struct {
	mu             sync.Mutex
	younger, older map[tag]opened
}

// opened is a state, and the revision and the sealed bytes that it was opened from.
type opened struct {
	revision uint64
	sealed   string
	state    state
}

func newMemo() *memo { return &memo{younger: map[tag]opened{}} }

// get returns the state that head was found to hold.
func (m *memo) get(t tag, head header) (state, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.younger[t]
	if !ok {
		if known, ok = m.older[t]; ok {
			m.keep(t, known)
		}
	}
	return known.state, ok && known.revision == head.revision && known.sealed == string(head.state)
}

// put remembers what head holds.
func (m *memo) put(t tag, head header, s state) {
	known := opened{revision: head.revision, sealed: string(head.state), state: s.clone()}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(t, known)
}

func (m *memo) keep(t tag, known opened) {
	if len(m.younger) >= memoSize {
		m.younger, m.older = make(map[tag]opened, memoSize), m.younger
	}
	m.younger[t] = known
}

// forget drops a session that is over.
func (m *memo) forget(t tag) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.younger, t)
	delete(m.older, t)
}
