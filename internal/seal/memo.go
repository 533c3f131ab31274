package seal

import "sync"

// Memo remembers what was opened, by name: opening and decoding is most of what reading
// a value costs. An entry counts only for the very bytes that it was opened from, so
// whoever asks still reads them each time, and what ends or changes the value there
// does so at once.
//
// There are two generations: when the younger one is full, the older one is forgotten.
// So the memo is bounded, and keeps what is asked for again. It is safe for concurrent
// use; nobody may change a value that it gave or was given.
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

// Get returns the value that sealed was found to hold.
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

// Forget drops what is over.
func (m *Memo[K, V]) Forget(name K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.younger, name)
	delete(m.older, name)
}
