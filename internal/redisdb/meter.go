package redisdb

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Outcome says how a call to Redis ended.
type Outcome string

// The outcomes: Redis did it, Redis answered that it did not, and there was no answer.
const (
	OK      Outcome = "ok"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Pool counts the connections to Redis, over all of its nodes.
type Pool struct {
	Used, Idle int
	// Timeouts is the number of commands that found no connection in time.
	Timeouts uint32
}

// Pool returns the present numbers of connections.
func (db *DB) Pool() Pool {
	stats := db.Client.PoolStats()
	return Pool{Used: int(stats.TotalConns) - int(stats.IdleConns), Idle: int(stats.IdleConns), Timeouts: db.starved.Load()}
}

// meter is the hook that measures how long commands take.
type meter struct {
	observe func(Outcome, time.Duration)
	now     func() time.Time
}

var _ redis.Hook = meter{}

// DialHook changes nothing.
func (meter) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook times one command.
func (m meter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		begin := m.now()
		err := next(ctx, cmd)
		m.observe(outcomeOf(err), m.now().Sub(begin))
		return err
	}
}

// ProcessPipelineHook times a pipeline as one.
func (m meter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		begin := m.now()
		err := next(ctx, cmds)
		m.observe(outcomeOf(err), m.now().Sub(begin))
		return err
	}
}

// outcomeOf returns the outcome of a call that returned err. A missing key counts as
// success, and so does NOSCRIPT, after which the script is sent whole.
func outcomeOf(err error) Outcome {
	_, answered := errors.AsType[redis.Error](err)
	switch {
	case err == nil, errors.Is(err, redis.Nil), redis.HasErrorPrefix(err, "NOSCRIPT"):
		return OK
	case answered:
		return Refused
	}
	return Failed
}
