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
	// repeatEvery is how often it is looked whether Redis has to be told again, and
	// repeatLooks how many looks that Redis answers something is kept for: 15 s, in which
	// the Sentinels and the clients agree on a new master.
	repeatEvery = 250 * time.Millisecond
	repeatLooks = 60
	// repeatTimes is at how many looks after a new connection all is repeated: the first
	// connection to a new master may be made while others lead to the old one.
	repeatTimes = 4
	// repeated is what a script has for its argument when it is repeated, so that whoever
	// looks at Redis's commands can tell.
	repeated = "cs:repeated"
	// repeatsAtMost is how many scripts are kept; the oldest make room for more.
	repeatsAtMost = 10_000
)

// Repeats runs scripts that have run again where a failover may have undone them. Redis
// answers before its replicas know, so that the last writes are lost with a master, and
// what ended or was spent a moment before would be alive again. A new master, or one that
// was started again, needs a new connection: after each of these, all that ran within the
// last seconds is run again. Only what is final may be kept: a script that reads no arguments and
// changes nothing when it runs a second time, on keys that are never used for anything
// else. A nil *Repeats keeps nothing.
type Repeats struct {
	db *DB

	mu   sync.Mutex
	kept []*repeat // the oldest first

	// connections is how many of db's have been looked at, and due at how many looks all is
	// still to be repeated. Only Run uses them.
	connections uint64
	due         int
}

// repeat is a script that has run, and how many looks it is kept for.
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
	return &Repeats{db: db}
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
	r.kept = append(r.kept, &repeat{script, keys, repeatLooks})
}

// Run repeats what is to be repeated until ctx ends, and then everything once more.
func (r *Repeats) Run(ctx context.Context) {
	tick := time.NewTicker(repeatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			_ = r.all(context.WithoutCancel(ctx), r.now()) // nothing comes after it
			return
		case <-tick.C:
			r.look(ctx)
		}
	}
}

// look repeats what is kept if there are new connections. While Redis is away, or has not
// answered all of it, nothing gets older.
func (r *Repeats) look(ctx context.Context) {
	kept := r.now()
	if len(kept) == 0 || r.ping(ctx) != nil {
		return
	}
	if made := r.db.connections.Load(); made != r.connections {
		r.connections, r.due = made, repeatTimes
	}
	if r.due > 0 {
		if r.all(ctx, kept) != nil {
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

func (r *Repeats) now() []*repeat {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// ping asks each server that takes writes for a sign of life, by a new connection where the
// old ones lead to none.
func (r *Repeats) ping(ctx context.Context) error {
	ping := func(ctx context.Context, c redis.Cmdable) error { return c.Ping(ctx).Err() }
	if nodes, ok := r.db.Client.(*redis.ClusterClient); ok {
		return nodes.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return ping(ctx, c) })
	}
	return ping(ctx, r.db.Client)
}

// all runs the scripts once, in one round trip to each server.
func (r *Repeats) all(ctx context.Context, kept []*repeat) error {
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
