package redisdb

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"
)

// Command is a command of Redis, with its reply or its error once it is answered.
type Command = redis.Cmder

// together sends the reads of requests that run at the same time as one pipeline: each write
// and each read of a socket serves several requests. A lone request's reads are sent at once.
// While a pipeline is under way, further ones wait for its end and then go together.
type together struct {
	mu   sync.Mutex
	busy bool
	next *batch // what waits; nil for nothing
}

// batch is the reads that go together. The request that came first sends them.
type batch struct {
	reads      []redis.Cmder
	turn, done chan struct{} // closed once it may be sent, and once it is answered
}

// Read sends commands that change nothing in one round trip, with those of other requests.
// Each command has its own reply or error. It suits what every request reads.
//
// The embedded Redis is a function call away, so there is nothing to save, and a traced
// request's reads go by themselves.
func (db *DB) Read(ctx context.Context, reads ...redis.Cmder) {
	if db.memory != nil || trace.SpanContextFromContext(ctx).IsSampled() {
		pipeline(ctx, db.Client, reads)
		return
	}
	q := &db.together
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		db.send(reads)
		return
	}
	first := q.next == nil
	if first {
		q.next = &batch{turn: make(chan struct{}), done: make(chan struct{})}
	}
	b := q.next
	b.reads = append(b.reads, reads...)
	q.mu.Unlock()
	if !first {
		<-b.done
		return
	}
	<-b.turn
	defer close(b.done)
	q.mu.Lock()
	q.next = nil // from here on others begin another one
	q.mu.Unlock()
	db.send(b.reads)
}

// send sends reads in one pipeline, and then gives the batch that waits its turn. It has half
// the time of a command, so that a read that waits for another one has the time of a command
// in all.
func (db *DB) send(reads []redis.Cmder) {
	ctx, cancel := context.WithTimeout(context.Background(), db.limit/2)
	defer cancel()
	pipeline(ctx, db.Client, reads)
	q := &db.together
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.busy = false
	} else {
		close(q.next.turn)
	}
}

// pipeline sends commands in one round trip; a lone one is sent as itself.
func pipeline(ctx context.Context, client Client, cmds []redis.Cmder) {
	if len(cmds) == 1 {
		_ = client.Process(ctx, cmds[0]) // which is its own error
		return
	}
	_, _ = client.Pipelined(ctx, func(p redis.Pipeliner) error { return p.BatchProcess(ctx, cmds...) }) // each has its own error
}
