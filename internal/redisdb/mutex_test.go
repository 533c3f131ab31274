package redisdb_test

import "sync"

// guarded is a value behind a lock.
type guarded[T any] struct {
	mu    sync.Mutex
	value T
}

func (g *guarded[T]) get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.value
}

func (g *guarded[T]) update(change func(T) T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.value = change(g.value)
}
