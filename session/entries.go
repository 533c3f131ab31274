package session

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// entries reads a person's lists, under every session key: the newest most of each,
// or all when most is -1.
func (s *Store) entries(ctx context.Context, userID string, most int64) ([]entry, error) {
	var entries []entry
	for _, p := range s.people(userID) {
		members, err := s.redis.ZRevRange(ctx, p.list, 0, max(-1, most-1)).Result()
		if err != nil {
			return nil, outage(ctx, "read the list", err)
		}
		for _, member := range members {
			if e, ok := p.read(member); ok {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// values reads the sessions that entries speak of; nil for one that is not there.
func (s *Store) values(ctx context.Context, entries []entry) ([][]byte, error) {
	values := make([][]byte, len(entries))
	if len(entries) == 0 {
		return values, nil
	}
	replies := make([]*redis.StringCmd, len(entries))
	_, _ = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
		for i, e := range entries {
			replies[i] = p.Get(ctx, e.tag.session())
		}
		return nil
	})
	for i, reply := range replies {
		value, err := reply.Bytes()
		switch {
		case err == nil:
			values[i] = value
		case !errors.Is(err, redis.Nil):
			return nil, outage(ctx, "read the sessions of a list", err)
		}
	}
	return values, nil
}

// addEntryScript puts an entry on a list and takes those off whose time is up. ARGV:
// entry, its absolute end and now, in Unix seconds. The list lives until the last end.
var addEntryScript = redis.NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIRE', KEYS[1], math.max(1, tonumber(last[2]) - tonumber(ARGV[3])))
return 1`)

// addEntry puts sess on its person's list.
func (s *Store) addEntry(ctx context.Context, sess *Session, p person) error {
	member, now := p.entry(sess).member, s.now().Unix()
	if err := addEntryScript.Run(ctx, s.redis, []string{p.list}, member, sess.state.end(), now).Err(); err != nil {
		return outage(ctx, "write the list", err)
	}
	return nil
}

// strike takes one entry off its list.
func (s *Store) strike(ctx context.Context, e entry) error {
	if err := s.redis.ZRem(ctx, e.person.list, e.member).Err(); err != nil {
		return outage(ctx, "strike off the list", err)
	}
	return nil
}
