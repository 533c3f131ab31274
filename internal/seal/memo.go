package seal

import "sync"

// Memo remembers opened values by name: opening and decoding is most of the cost of
// reading a value. An entry counts only for the very bytes that it was opened from, so
// callers still read those each time, and a deletion or change there takes effect at
// once.
//
// There are two generations: when the younger one is full, the older one is forgotten. So
// the memo is bounded, and keeps values that are used again. It is safe for concurrent
// use; its values must not be changed.
type Memo[K comparable, V any] struct {
	size           int
	mu             sync.Mutex
	younger, older map[K]entry[V]
}

// entry is a value, and the sealed bytes that it was opened from.
type entry[V any] struct {
	sealed string
	value  V
}

// NewMemo makes a Memo of generations of size values.
func NewMemo[K comparable, V any](size int) *Memo[K, V] {
	return &Memo[K, V]{size: size, younger: map[K]entry[V]{}}
}

// Get returns the value that sealed was opened to, if it is remembered.
func (m *Memo[K, V]) Get(name K, sealed []byte) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.younger[name]
	if !ok {
		if known, ok = m.older[name]; ok {
			m.keep(name, known)
		}
	}
	return known.value, ok && known.sealed == string(sealed)
}

// Put remembers that sealed holds value.
func (m *Memo[K, V]) Put(name K, sealed []byte, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(name, entry[V]{sealed: string(sealed), value: value})
}

func (m *Memo[K, V]) keep(name K, known entry[V]) {
	if len(m.younger) >= m.size {
		m.younger, m.older = make(map[K]entry[V], m.size), m.younger
	}
	m.younger[name] = known
}

// Forget drops an entry.
func (m *Memo[K, V]) Forget(name K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.younger, name)
	delete(m.older, name)
}
