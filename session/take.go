package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// endedSession is the remainder of a session that was ended: its last value and its
// records.
type endedSession struct {
	tag     tag
	value   []byte
	records []pointer
}

// pointer is an entry of a session's index: a record's name, and its expiry in Unix
// milliseconds.
type pointer struct {
	name   string
	expiry int64
}

// takeScript ends a session and returns its last value and its index, or nothing if it
// was over. From then on none of its records can be begun or spent, because those scripts
// look for the session first. It needs no memory, so that it runs in a full Redis. A
// token is never used for a second session, so the script may be repeated.
var takeScript = redis.NewScript(`
local value = redis.call('GET', KEYS[1])
if not value then return false end
redis.call('DEL', KEYS[1])
return {value, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}`)

// take ends the sessions of tags, in one round trip to each node, and returns the ended
// ones. The error is an outage, after which the sessions that are not returned may be
// alive.
func (s *Store) take(ctx context.Context, tags ...tag) ([]endedSession, error) {
	replies := make([]*redis.Cmd, len(tags))
	_, _ = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
		for i, t := range tags {
			replies[i] = takeScript.Eval(ctx, p, []string{t.session(), t.index()})
		}
		return nil
	})
	var ended []endedSession
	var failed error
	for i, reply := range replies {
		last, err := readEnded(reply)
		switch {
		case err == nil:
			last.tag = tags[i]
			s.memory.Forget(last.tag)
			s.repeats.Add(takeScript, last.tag.session(), last.tag.index())
			ended = append(ended, last)
		case !errors.Is(err, redis.Nil):
			failed = outage(ctx, "end", err)
		}
	}
	return ended, failed
}

// readEnded reads a reply of takeScript; the error is redis.Nil if there was no session.
func readEnded(reply *redis.Cmd) (endedSession, error) {
	parts, err := reply.Slice()
	if err != nil {
		return endedSession{}, err
	}
	if len(parts) != 2 {
		return endedSession{}, errors.New("a reply without an index")
	}
	value, _ := parts[0].(string)
	list, _ := parts[1].([]any)
	last := endedSession{value: []byte(value)}
	for i := 0; i+1 < len(list); i += 2 {
		name, _ := list[i].(string)
		score, _ := list[i+1].(string)
		expiry, err := strconv.ParseInt(score, 10, 64)
		if err != nil {
			return endedSession{}, fmt.Errorf("an index without its expiry: %w", err)
		}
		last.records = append(last.records, pointer{name: name, expiry: expiry})
	}
	return last, nil
}

// clean deletes the records of ended sessions and takes entries off their lists, in one
// round trip to each node. Neither can be used any more: after a failure they expire, or
// the next reading of the list removes them.
func (s *Store) clean(ctx context.Context, ended []endedSession, entries []entry) error {
	members := map[string][]any{} // by list
	for _, e := range entries {
		members[e.person.list] = append(members[e.person.list], e.member)
	}
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, last := range ended {
			if keys := last.keys(); len(keys) > 1 {
				p.Del(ctx, keys...)
			}
		}
		for list, gone := range members {
			p.ZRem(ctx, list, gone...)
		}
		return nil
	})
	if err != nil {
		return outage(ctx, "clean up", err)
	}
	return nil
}

// keys returns the keys of the index and of the records in it.
func (t endedSession) keys() []string {
	keys := []string{t.tag.index()}
	for _, record := range t.records {
		keys = append(keys, t.tag.record(record.name))
	}
	return keys
}
