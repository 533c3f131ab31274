package redisdb

import (
	"cmp"
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

const (
	// tick is the interval at which the embedded Redis learns the time.
	tick = 100 * time.Millisecond
	// patience is the default Options.Timeout of the embedded Redis.
	patience = 5 * time.Second
)

// embed opens a Redis in this process, reached by the same client as a real one but
// through pipes: no port of the machine is opened.
func embed(o Options) *DB {
	now, limit := o.Now, cmp.Or(o.Timeout, patience)
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
	db := &DB{limit: limit, prefix: cmp.Or(o.Prefix, DefaultPrefix), memory: memory}
	connect(db, redis.NewClient(options))
	db.hook(guard{limit: limit, starved: &db.starved})
	age := &expiryClock{memory: memory, now: now, last: now()}
	db.Client.AddHook(age)
	db.stop = age.run()
	return db
}

// expiryClock reduces the time to live of every key, since miniredis keeps no clock of its
// own: at each tick, and before each command later than a tick, so that a new key does
// not lose the time that passed before it was set.
type expiryClock struct {
	memory *miniredis.Miniredis
	now    func() time.Time

	mu   sync.Mutex
	last time.Time
}

// pass catches up with the clock if it is ahead by least or more. After the clock was set
// back, time counts from there.
// back counts from where it is.
func (a *expiryClock) pass(least time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	current := a.now()
	passed := current.Sub(a.last)
	if 0 <= passed && passed < least {
		return
	}
	if passed > 0 {
		a.memory.FastForward(passed)
	}
	a.last = current
}

var _ redis.Hook = (*expiryClock)(nil)

// DialHook changes nothing.
func (*expiryClock) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook lets time pass before a command.
func (a *expiryClock) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		a.pass(tick)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook lets time pass before a pipeline.
func (a *expiryClock) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		a.pass(tick)
		return next(ctx, cmds)
	}
}

// run lets time pass at each tick. stop ends that and waits until it has ended.
func (a *expiryClock) run() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				a.pass(0)
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(quit) })
		<-done
	}
}
