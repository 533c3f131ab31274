package redisdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// DefaultPrefix begins the name of every key and channel in the code, and in Redis unless
// Options.Prefix is another.
const DefaultPrefix = "cs:"

// Name returns the name in Redis of a key or channel that the code calls so.
func (db *DB) Name(name string) string { return renamed(name, db.prefix) }

// renamed puts prefix in the place of DefaultPrefix. A name that has it already stays, and so
// does one that is an operator's own.
func renamed(name, prefix string) string {
	rest, ours := strings.CutPrefix(name, DefaultPrefix)
	if !ours || strings.HasPrefix(prefix, DefaultPrefix) && strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + rest
}

// keyPrefixer is the client's outermost hook where the prefix is another than the default one. It
// renames the keys of every command, so that no package has to know the prefix.
type keyPrefixer struct{ prefix string }

var _ redis.Hook = keyPrefixer{}

// DialHook changes nothing.
func (keyPrefixer) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook renames the keys of one command.
func (r keyPrefixer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := r.rename(cmd); err != nil {
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook renames the keys of a pipeline.
func (r keyPrefixer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			if err := r.rename(cmd); err != nil {
				for _, each := range cmds {
					each.SetErr(err)
				}
				return err
			}
		}
		return next(ctx, cmds)
	}
}

// rename renames the keys of a command where they stand.
func (r keyPrefixer) rename(cmd redis.Cmder) error {
	args := cmd.Args()
	from, to, err := places(cmd.Name(), args)
	for i := from; i < to && err == nil; i++ {
		if name, ok := args[i].(string); ok {
			args[i] = renamed(name, r.prefix)
		}
	}
	return err
}

// firstOnly, allOf and noneOf are the commands by where their keys stand. A command that is in
// none of them is refused rather than sent with names that are not ours.
var (
	firstOnly = []string{
		"get", "getex", "getrange", "set", "setnx", "setrange", "incr", "strlen", "expire", "pexpire", "ttl", "pttl", "publish",
		"hget", "hmget", "hgetall", "hset", "hdel", "hlen", "hexists", "hincrby", "hscan", "lpush", "lrange", "llen", "ltrim",
		"zadd", "zcard", "zcount", "zscore", "zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore", "zrem", "zremrangebyrank", "zremrangebyscore",
		"xadd", "xdel", "xlen", "xrange",
	}
	allOf  = []string{"del", "exists", "mget"}
	noneOf = []string{"ping", "time", "multi", "exec", "role", "hello", "auth", "select", "client", "asking", "readonly", "cluster"}
	ofEval = []string{"eval", "evalsha"}
)

// places returns the first place of a key and the one after the last.
func places(command string, args []any) (from, to int, err error) {
	is := func(list []string) bool { return slices.Contains(list, command) }
	switch {
	case is(firstOnly) && len(args) > 1:
		return 1, 2, nil
	case is(allOf):
		return 1, len(args), nil
	case is(noneOf):
		return 0, 0, nil
	case is(ofEval) && len(args) > 2:
		if keys, ok := args[2].(int); ok && 3+keys <= len(args) {
			return 3, 3 + keys, nil
		}
	}
	return 0, 0, fmt.Errorf("redisdb: where the keys of %s stand is not known", command)
}
