package redisdb

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// repeatEvery is how often what is to last is repeated, and repeatTimes how many
	// answered repetitions make an end of it: 15 s, in which the Sentinels and the clients
	// agree on a new master.
	repeatEvery = 250 * time.Millisecond
	repeatTimes = 60
	// repeatsAtMost is how many scripts are repeated; the oldest make room for more.
	repeatsAtMost = 10_000
)

// Repeats runs scripts again and again for a while after they have run. Redis answers
// before its replicas know, so that a failover undoes the last writes: what ended or was
// spent a moment before would be alive again. Only what is final may be repeated: a script
// of no arguments that changes nothing when it runs a second time, on keys that are never
// used for anything else. A nil *Repeats repeats nothing.
type Repeats struct {
	client redis.UniversalClient

	mu   sync.Mutex
	kept []*repeat // the oldest first
}

// repeat is a script that has run, and how many repetitions are left.
type repeat struct {
	script *redis.Script
	keys   []string
	left   int
}

// NewRepeats returns Repeats for scripts that have run by db's client; nil where db is
// embedded, which has no failover.
func (db *DB) NewRepeats() *Repeats {
	if db.memory != nil {
		return nil
	}
	return &Repeats{client: db.Client}
}

// Keep has a script repeated that has run on keys of one slot.
func (r *Repeats) Keep(script *redis.Script, keys ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= repeatsAtMost {
		r.kept = slices.Delete(r.kept, 0, len(r.kept)-repeatsAtMost+1)
	}
	r.kept = append(r.kept, &repeat{script, keys, repeatTimes})
}

// Run repeats what is kept until ctx ends, and then once more.
func (r *Repeats) Run(ctx context.Context) {
	tick := time.NewTicker(repeatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			r.all(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			r.all(ctx)
		}
	}
}

// all repeats everything once, in one round trip to each node. While Redis is away nothing
// counts as repeated.
func (r *Repeats) all(ctx context.Context) {
	r.mu.Lock()
	kept := slices.Clone(r.kept)
	r.mu.Unlock()
	if len(kept) == 0 {
		return
	}
	replies := make([]*redis.Cmd, len(kept))
	_, _ = r.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
		for i, one := range kept {
			replies[i] = one.script.Eval(ctx, p, one.keys)
		}
		return nil
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range kept {
		if err := replies[i].Err(); err == nil || errors.Is(err, redis.Nil) {
			one.left--
		}
	}
	r.kept = slices.DeleteFunc(r.kept, func(one *repeat) bool { return one.left <= 0 })
}
