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
	// patience is the Options.Timeout of the embedded Redis.
	patience = 5 * time.Second
)

// embed opens a Redis in this process, reached by the same client as a real one but
// through pipes: no port of the machine is opened.
func embed(now func() time.Time, limit time.Duration) *DB {
	memory := miniredis.NewMiniRedis()
	options := single(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			conn, err := memory.Dial()
			if err != nil {
				return nil, err
			}
			return newPipe(conn), nil
		},
	}, limit)
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = limit, limit, limit, limit
	client := redis.NewClient(options)
	client.AddHook(guard{limit: limit})
	return &DB{Client: client, limit: limit, memory: memory, stop: run(memory, now)}
}

// run lets the time to live of every key run down, since miniredis keeps no clock of
// its own. stop ends that and waits until it has ended.
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
