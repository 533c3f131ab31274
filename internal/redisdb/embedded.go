package redisdb

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

const (
	// tick is how often the embedded Redis learns what time it is.
	tick = 100 * time.Millisecond
	// patience bounds a command to the embedded Redis. It cannot be away, only slow
	// with the rest of a busy machine.
	patience = 5 * time.Second
)

// embed opens a Redis in this process, reached through pipes: no port of the
// machine is opened. It goes through the same client as a real one.
func embed(now func() time.Time) *DB {
	memory := miniredis.NewMiniRedis()
	options := single(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			conn, err := memory.Dial()
			if err != nil {
				return nil, err
			}
			return newPipe(conn), nil
		},
	})
	options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = patience, patience, patience
	client := redis.NewClient(options)
	client.AddHook(guard{limit: patience})
	return &DB{Client: client, limit: patience, memory: memory, stop: run(memory, now)}
}

// run lets the time to live of every key run down: miniredis keeps no clock of
// its own. The returned function stops it and waits until it has.
func run(memory *miniredis.Miniredis, now func() time.Time) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		last := now()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				current := now()
				if passed := current.Sub(last); passed > 0 {
					memory.FastForward(passed)
				}
				last = current
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(quit) })
		<-done
	}
}

// FastForward lets d pass at once for every key of an embedded Redis; for tests.
// It does nothing to a real one.
func (db *DB) FastForward(d time.Duration) {
	if db.memory != nil && d > 0 {
		db.memory.FastForward(d)
	}
}
