package redisdb

import (
	"context"
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
type Reads struct {
	client redis.UniversalClient
	limit  time.Duration
	queue  *redis.AutoPipeliner // nil sends each read by itself
	call   redis.ProcessHook    // reads through the queue, measured and traced
}

// ReadsOf returns Reads that sends each read to the client by itself.
func ReadsOf(client redis.UniversalClient) *Reads { return &Reads{client: client} }

// openReads makes db.Reads. With the embedded Redis, which is a function call away, there is
// nothing to save. The hooks see a read as its request does.
func (db *DB) openReads(hooks ...redis.Hook) (err error) {
	r := &Reads{client: db.Client, limit: db.limit}
	r.call = r.wait
	for _, hook := range hooks {
		r.call = hook.ProcessHook(r.call)
	}
	if db.memory == nil {
		r.queue, err = db.Client.AutoPipelineWithOptions(&redis.AutoPipelineOptions{
			MaxConcurrentBatches: 1, MaxQueuedCommands: maxQueuedReads,
		})
	}
	db.Reads = r
	return err
}

// Get reads a key; redis.Nil if there is none.
func (r *Reads) Get(ctx context.Context, key string) ([]byte, error) {
	if r.queue == nil || waitedOf(ctx).left(r.limit) < r.limit { // less time than a pipeline has
		return r.client.Get(ctx, key).Bytes()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cmd := redis.NewStringCmd(ctx, "get", key)
	_ = r.call(ctx, cmd) // which is the command's error
	return cmd.Bytes()
}

// wait sends cmd in the next pipeline and waits for its reply.
func (r *Reads) wait(ctx context.Context, cmd redis.Cmder) error {
	begun := time.Now() //nolint:forbidigo // A connection's deadline is the machine's own time.
	_ = r.queue.Process(ctx, queued{cmd})
	if unanswered(cmd) {
		waitedOf(ctx).add(time.Since(begun)) //nolint:forbidigo // A connection's deadline is the machine's own time.
	} else {
		waitedOf(ctx).reset()
	}
	return cmd.Err()
}

// queued marks a command of Reads for the hooks of the client: the pipeline that it
// travels in belongs to no request.
type queued struct{ redis.Cmder }

// areQueued reports whether cmds, a pipeline or a lone command, are those of Reads.
func areQueued(cmds ...redis.Cmder) bool {
	_, ok := cmds[0].(queued)
	return ok
}
