package redisdb

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// guard is the client's outermost hook. It gives each command its deadline, and
// keeps go-redis from sending twice what may not be repeated: go-redis retries by
// the kind of error, in a cluster even with retries off, and never by what the
// command does.
type guard struct {
	limit time.Duration
}

var _ redis.Hook = guard{}

func (guard) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g guard) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, g.limit)
		defer cancel()
		return next(ctx, onceUnlessRead(cmd))
	}
}

func (g guard) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, g.limit)
		defer cancel()
		guarded := make([]redis.Cmder, len(cmds))
		for i, cmd := range cmds {
			guarded[i] = onceUnlessRead(cmd)
		}
		return next(ctx, guarded)
	}
}

// reads are the commands that may be sent again: they change nothing.
var reads = map[string]bool{
	"get": true, "mget": true, "getrange": true, "strlen": true, "exists": true, "ttl": true, "pttl": true, "scan": true,
	"hget": true, "hmget": true, "hgetall": true, "hlen": true, "hexists": true, "hscan": true,
	"zrange": true, "zrevrange": true, "zrangebyscore": true, "zrevrangebyscore": true, "zscore": true, "zcard": true, "zcount": true, "zscan": true,
	"smembers": true, "sismember": true, "scard": true, "sscan": true, "lrange": true, "llen": true,
	"ping": true, "time": true, "dbsize": true,
	// go-redis takes a transaction's brackets by their type. What is between them
	// is guarded, and one such command forbids repeating them all.
	"multi": true, "exec": true,
}

func onceUnlessRead(cmd redis.Cmder) redis.Cmder {
	if reads[cmd.Name()] {
		return cmd
	}
	return once{cmd}
}

// once is a command that is sent one time at most. A redirection of a cluster is
// still followed: the node that sent it did not run the command.
type once struct{ redis.Cmder }

// NoRetry is go-redis's own word for it.
func (once) NoRetry() bool { return true }
