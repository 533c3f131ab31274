package redisdb

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxQueuedReads limits the reads that wait for Redis, so that a silent one costs a
// bounded amount of memory. A read beyond it fails at once.
const maxQueuedReads = 16 << 10

// Reads sends the reads of requests that run at the same time as one pipeline: each write
// and each read of a socket serves several requests. It suits what every request reads.
//
// A lone read is sent at once. While a pipeline is under way, further reads wait for its
// end and then go together. A pipeline has half the time of a command, so that a read that
// waits for another one has the time of a command in all.
//
// Reads that go with a write have pipelines of their own: those are never sent twice,
// while a read whose connection was broken is.
type Reads struct {
	client redis.UniversalClient
	limit  time.Duration
	alone  bool                      // each request's reads go by themselves
	call   redis.ProcessHook         // sends one read, measured and traced
	calls  redis.ProcessPipelineHook // sends several

	reads, writes queue
}

// queue is pipelines that go one after the other.
type queue struct {
	client redis.UniversalClient

	mu   sync.Mutex
	busy bool
	next *batch // what waits; nil for nothing
}

// batch is the reads that go together. The request that came first sends them.
type batch struct {
	reads []redis.Cmder
	turn  chan struct{} // closed once it may be sent
	done  chan struct{} // closed once it is answered
}

// ReadsOf returns Reads that sends each read to the client by itself.
func ReadsOf(client redis.UniversalClient) *Reads {
	r := &Reads{client: client, alone: true}
	r.call = client.Process
	r.calls = func(ctx context.Context, cmds []redis.Cmder) error { return pipelined(ctx, client, cmds) }
	return r
}

// openReads makes db.Reads. With the embedded Redis, which is a function call away, there is
// nothing to save. The hooks see a read as its request does.
func (db *DB) openReads(hooks ...redis.Hook) {
	if db.memory != nil {
		db.Reads = ReadsOf(db.Client)
		return
	}
	r := &Reads{client: db.Client, limit: db.limit, reads: queue{client: db.Client}, writes: queue{client: db.Client}}
	r.call = func(ctx context.Context, cmd redis.Cmder) error { return r.wait(ctx, cmd) }
	r.calls = func(ctx context.Context, cmds []redis.Cmder) error { return r.wait(ctx, cmds...) }
	for _, hook := range hooks {
		r.call, r.calls = hook.ProcessHook(r.call), hook.ProcessPipelineHook(r.calls)
	}
	db.Reads = r
}

// Get reads a key; redis.Nil if there is none. What Ahead gave the context goes along.
func (r *Reads) Get(ctx context.Context, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	read := redis.NewStringCmd(ctx, "get", key)
	_ = r.read(ctx, aheadOf(ctx).sendWith(read)) // each has its own error
	return read.Bytes()
}

// GetWith is Get with a write in the same round trip, sent once. If the error is none of
// Redis's refusals, the write may have been done.
func (r *Reads) GetWith(ctx context.Context, key string, write redis.Cmder) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		write.SetErr(err)
		return nil, err
	}
	read := redis.NewStringCmd(ctx, "get", key)
	_ = r.read(ctx, append(aheadOf(ctx).sendWith(read), write)) // each has its own error
	return read.Bytes()
}

// read sends reads; a lone one is measured and traced as itself.
func (r *Reads) read(ctx context.Context, reads []redis.Cmder) error {
	switch {
	case len(reads) > 1 && r.hurried(ctx):
		return pipelined(ctx, r.client, reads)
	case len(reads) > 1:
		return r.calls(ctx, reads)
	case r.hurried(ctx):
		return r.client.Process(ctx, reads[0])
	}
	return r.call(ctx, reads[0])
}

// hurried reports whether a request has less time left than a pipeline has.
func (r *Reads) hurried(ctx context.Context) bool {
	return !r.alone && waitedOf(ctx).left(r.limit) < r.limit
}

func pipelined(ctx context.Context, client redis.UniversalClient, cmds []redis.Cmder) error {
	_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, cmd := range cmds {
			_ = p.Process(ctx, cmd) // which only adds it
		}
		return nil
	})
	return err
}

// wait sends a request's reads with those of others and waits for their replies.
func (r *Reads) wait(ctx context.Context, reads ...redis.Cmder) error {
	begun := time.Now() //nolint:forbidigo // A connection's deadline is the machine's own time.
	if isRead(reads[len(reads)-1]) {
		r.reads.join(reads)
	} else {
		r.writes.join(reads)
	}
	var failed error
	for _, read := range reads {
		if unanswered(read) {
			waitedOf(ctx).add(time.Since(begun)) //nolint:forbidigo // A connection's deadline is the machine's own time.
			return read.Err()
		}
		if failed == nil {
			failed = read.Err()
		}
	}
	waitedOf(ctx).reset()
	return failed
}

// join sends reads at once, or with the batch that waits for the end of the one under way.
func (q *queue) join(reads []redis.Cmder) {
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		q.send(reads)
		return
	}
	first := q.next == nil
	if first {
		q.next = &batch{turn: make(chan struct{}), done: make(chan struct{})}
	}
	b := q.next
	full := len(b.reads)+len(reads) > maxQueuedReads
	if !full {
		b.reads = append(b.reads, reads...)
	}
	q.mu.Unlock()
	switch {
	case full:
		for _, read := range reads {
			read.SetErr(errManyReads)
		}
	case first:
		defer close(b.done)
		q.send(q.claim(b))
	default:
		<-b.done
	}
}

var errManyReads = errors.New("redisdb: too many reads wait")

// claim returns the reads of the next batch once it is its turn. From then on others begin
// another one.
func (q *queue) claim(b *batch) []redis.Cmder {
	<-b.turn
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = nil
	return b.reads
}

// send sends reads in one pipeline, and then gives the batch that waits its turn.
func (q *queue) send(reads []redis.Cmder) {
	defer q.pass()
	if len(reads) == 1 {
		_ = q.client.Process(context.Background(), queued{reads[0]}) // which is the read's error
		return
	}
	together := make([]redis.Cmder, len(reads))
	for i, read := range reads {
		together[i] = queued{read}
	}
	_ = pipelined(context.Background(), q.client, together) // each read has its own error
}

func (q *queue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.busy = false
	} else {
		close(q.next.turn)
	}
}

// queued marks a command of Reads for the hooks of the client: the pipeline that it
// travels in belongs to no request.
type queued struct{ redis.Cmder }

// areQueued reports whether cmds, a pipeline or a lone command, are those of Reads.
func areQueued(cmds ...redis.Cmder) bool {
	_, ok := cmds[0].(queued)
	return ok
}
