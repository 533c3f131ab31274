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
	// repeatEvery is the interval between checks for new connections. repeatLooks is the
	// number of checks, while Redis answers, that a script is kept for: 15 s, in which
	// the Sentinels and the clients agree on a new master.
	repeatEvery = 250 * time.Millisecond
	repeatLooks = 60
	// repeatTimes is the number of checks after a new connection at which all scripts are
	// repeated: the first connection to a new master may be made while others lead to the
	// old one.
	repeatTimes = 4
	// repeated is the argument of a repeated script, by which it can be told apart in a
	// log of Redis's commands.
	repeated = "cs:repeated"
	// repeatsAtMost limits how many scripts are kept; the oldest are dropped first.
	repeatsAtMost = 10_000
)

// FailoverReplay runs scripts again that a failover may have undone. Redis answers before its
// replicas have the write, so a lost master takes its last writes along, and a session
// ended or a challenge spent just before would be valid again. A new or restarted master
// needs a new connection: after each new connection, the scripts of the last seconds run
// again. Add only scripts with a final effect: they read no arguments and change nothing
// when run a second time, on keys that are never used for anything else. A nil *FailoverReplay
// keeps nothing.
type FailoverReplay struct {
	db *DB

	mu   sync.Mutex
	kept []*repeat // the oldest first

	// connections is the number of db's connections at the last check, and due the number
	// of checks at which all scripts are still to be repeated. Only Run uses them.
	connections uint64
	due         int
}

// repeat is a script that has run, and the number of checks that it is still kept for.
type repeat struct {
	script *redis.Script
	keys   []string
	left   int
}

// NewRepeats returns Repeats for scripts that have run by db's client. It returns nil for
// an embedded Redis, which has no failover.
func (db *DB) NewRepeats() *FailoverReplay {
	if db.memory != nil {
		return nil
	}
	return &FailoverReplay{db: db}
}

// Add keeps a script that has run on keys of one slot, for repetition.
func (r *FailoverReplay) Add(script *redis.Script, keys ...string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= repeatsAtMost {
		r.kept = r.kept[len(r.kept)-repeatsAtMost+1:] // moves none: there may be thousands a second
	}
	r.kept = append(r.kept, &repeat{script, keys, repeatLooks})
}

// Run repeats scripts after new connections until ctx ends, and then all of them once
// more.
func (r *FailoverReplay) Run(ctx context.Context) {
	tick := time.NewTicker(repeatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			_ = r.runAll(context.WithoutCancel(ctx), r.list()) // nothing comes after it
			return
		case <-tick.C:
			r.check(ctx)
		}
	}
}

// check repeats the kept scripts if there are new connections. While Redis is away, or has
// not answered all of them, no script ages.
func (r *FailoverReplay) check(ctx context.Context) {
	kept := r.list()
	if len(kept) == 0 || r.ping(ctx) != nil {
		return
	}
	if made := r.db.connections.Load(); made != r.connections {
		r.connections, r.due = made, repeatTimes
	}
	if r.due > 0 {
		if r.runAll(ctx, kept) != nil {
			return
		}
		r.due--
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range kept {
		one.left--
	}
	r.kept = slices.DeleteFunc(r.kept, func(one *repeat) bool { return one.left <= 0 })
}

func (r *FailoverReplay) list() []*repeat {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// ping sends PING to each server that takes writes, which makes a new connection if the
// old ones are broken.
func (r *FailoverReplay) ping(ctx context.Context) error {
	ping := func(ctx context.Context, c redis.Cmdable) error { return c.Ping(ctx).Err() }
	if nodes, ok := r.db.Client.(*redis.ClusterClient); ok {
		return nodes.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return ping(ctx, c) })
	}
	return ping(ctx, r.db.Client)
}

// runAll runs the scripts once, in one round trip to each server.
func (r *FailoverReplay) runAll(ctx context.Context, kept []*repeat) error {
	if len(kept) == 0 {
		return nil
	}
	replies, _ := r.db.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, one := range kept {
			one.script.Eval(ctx, p, one.keys, repeated)
		}
		return nil
	}) // each reply has its own error
	for _, reply := range replies {
		if err := reply.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
	}
	return nil
}
