package redisdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// text and missing are the keys of CheckPermissions, after keptPrefix: the value that is kept, as which
// nothing but a text is taken, and one that never is.
const text, missing = "text", "missing"

// kinds are the kinds of keys beside those of sessions and of the two indexes: a user of Redis may
// be allowed some.
var kinds = []string{"a", "events:revision", "forms", "idempotency", "k", "lease", "n", "o", "p", "rate", "u"}

// triesOfKinds read and change nothing of a key of each kind, which is never used.
func (db *DB) triesOfKinds(ctx context.Context) (all []redis.Cmder) {
	keys := []string{fmt.Sprintf("%s{%s}", DefaultPrefix, missing)}
	for _, index := range []string{"i", "t"} {
		keys = append(keys, fmt.Sprintf("%saccess:{%s}:%s", DefaultPrefix, index, missing))
	}
	for _, kind := range kinds {
		keys = append(keys, fmt.Sprintf("%s%s:{%s}", DefaultPrefix, kind, missing))
	}
	for _, key := range keys {
		key = db.Name(key)
		all = append(all, redis.NewCmd(ctx, "get", key), redis.NewCmd(ctx, "setrange", key, 0, ""))
	}
	return all
}

// tries are a harmless command of each kind that this program sends: what is no command for a
// text is refused by its type, and what would end a key finds none.
func (db *DB) tries(ctx context.Context) (all []redis.Cmder) {
	kept, none := db.Name(keptPrefix+text), db.Name(keptPrefix+missing)
	for _, args := range [][]any{
		{"set", kept, "", "nx"}, {"get", kept}, {"getex", kept}, {"mget", kept}, {"setrange", none, 0, ""}, {"incr", kept}, {"exists", kept},
		{"del", none}, {"expire", none, 1}, {"pexpire", none, 1}, {"pttl", kept}, {"time"}, {"ping"},
		{"hget", kept, "a"}, {"hmget", kept, "a"}, {"hgetall", kept}, {"hset", kept, "a", ""}, {"hdel", kept, "a"}, {"hexists", kept, "a"},
		{"hincrby", kept, "a", 1}, {"hscan", kept, 0},
		{"lpush", kept, ""}, {"lrange", kept, 0, 0}, {"ltrim", kept, 0, 0},
		{"zadd", kept, 1, "a"}, {"zcard", kept}, {"zcount", kept, 0, 0}, {"zscore", kept, "a"}, {"zrange", kept, 0, 0}, {"zrevrange", kept, 0, 0},
		{"zrangebyscore", kept, 0, 0}, {"zrevrangebyscore", kept, 0, 0}, {"zrem", kept, "a"}, {"zremrangebyrank", kept, 0, 0}, {"zremrangebyscore", kept, 0, 0},
		{"xadd", kept, "*", "a", ""}, {"xdel", kept, "0-1"}, {"xlen", kept}, {"xrange", kept, "-", "+", "count", 1},
		{"multi"}, {"exec"},
		{"evalsha", strings.Repeat("0", 40), 1, kept}, {"eval", "return 1", 1, kept},
	} {
		all = append(all, redis.NewCmd(ctx, args...))
	}
	return all
}

// CheckPermissions returns which commands, of those that this program sends, Redis refuses because its
// user may not use them or the key, or because there are none of that name, with Redis's own
// words: "" for none. Every master is asked. The error says that they could not be asked.
func (db *DB) CheckPermissions(ctx context.Context) (refused string, err error) {
	if db.memory != nil {
		return "", nil // it has no users
	}
	ctx, cancel := context.WithTimeout(ctx, db.limit)
	defer cancel()
	var mu sync.Mutex // the masters are asked at once
	why := map[string]string{}
	ask := func(ctx context.Context, node redis.Cmdable) error {
		asked, ofKinds := db.tries(ctx), db.triesOfKinds(ctx)
		_, err := node.Pipelined(ctx, func(p redis.Pipeliner) error { return p.BatchProcess(ctx, append(asked, ofKinds...)...) })
		if _, answered := errors.AsType[redis.Error](err); err != nil && !answered {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, cmd := range asked {
			if err := cmd.Err(); err != nil && IsNotPermitted(err) {
				why[cmd.Name()] = err.Error()
			}
		}
		for _, cmd := range ofKinds {
			if err := cmd.Err(); err != nil && IsNotPermitted(err) && why[cmd.Name()] == "" { // else no key of any kind
				why[fmt.Sprint(cmd.Name(), " ", cmd.Args()[1])] = err.Error()
			}
		}
		return nil
	}
	if nodes, ok := db.Client.(*redis.ClusterClient); ok { // where the keys are does not matter: what is not allowed is not redirected
		err = nodes.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return ask(ctx, node) })
	} else {
		err = ask(ctx, db.Client)
	}
	if err != nil {
		return "", fmt.Errorf("redisdb: ask what is permitted: %w", err)
	}
	names := slices.Sorted(maps.Keys(why))
	if len(names) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s (%s)", why[names[0]], strings.Join(names, ", ")), nil
}

// IsNotPermitted reports whether err is Redis's refusal of a command, a key or a channel, whatever
// they are to do. The refusal of EXEC begins with other words.
func IsNotPermitted(err error) bool {
	return strings.Contains(err.Error(), "NOPERM ") || strings.Contains(err.Error(), "ERR unknown command")
}
