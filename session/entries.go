package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// maxSessions limits the sessions of a person.
const maxSessions = 50

// addEntryScript puts an entry on a list and removes expired ones. ARGV: entry, its
// absolute end and now, in Unix seconds. The list lives until the last end.
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

// entriesOf returns the entries that sess may have on its person's lists.
func (s *Store) entriesOf(sess *Session) []entry {
	if sess.state.UserID == "" {
		return nil
	}
	var entries []entry
	for _, p := range s.people(sess.state.UserID) {
		entries = append(entries, p.entry(sess))
	}
	return entries
}

// entries reads a person's lists, under every session key.
func (s *Store) entries(ctx context.Context, userID string) ([]entry, error) {
	people := s.people(userID)
	replies := make([]*redis.StringSliceCmd, len(people))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, person := range people {
			replies[i] = p.ZRange(ctx, person.list, 0, -1)
		}
		return nil
	})
	if err != nil {
		return nil, outage(ctx, "read the list", err)
	}
	var entries []entry
	for i, reply := range replies {
		for _, member := range reply.Val() {
			if e, ok := people[i].read(member); ok {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// liveEntry is an entry whose session is alive, and the part of the session's value that
// the person can read.
type liveEntry struct {
	entry
	header
}

// alive returns the entries whose session is alive. The other entries leave their list.
func (s *Store) alive(ctx context.Context, entries []entry) ([]liveEntry, error) {
	replies := make([]*redis.StringCmd, len(entries))
	_, _ = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each reply has its own error
		for i, e := range entries {
			replies[i] = p.Get(ctx, e.tag.session())
		}
		return nil
	})
	var alive []liveEntry
	var gone []entry
	for i, reply := range replies {
		value, err := reply.Bytes()
		head, ok := parse(value)
		switch {
		case errors.Is(err, redis.Nil):
			gone = append(gone, entries[i])
		case err != nil:
			return nil, outage(ctx, "read the sessions of a list", err)
		case ok && head.touched.Add(s.idle).After(s.now()):
			alive = append(alive, liveEntry{entry: entries[i], header: head})
		}
	}
	_ = s.clean(ctx, nil, gone) // else at the next reading of the list
	return alive, nil
}

// limit ends the oldest sessions of sess's person beyond maxSessions, but never sess. It
// runs after sess was put on the list, so that of two concurrent sign-ins the later sees
// both.
func (s *Store) limit(ctx context.Context, sess *Session) error {
	entries, err := s.entries(ctx, sess.state.UserID)
	if err != nil || len(entries) <= maxSessions {
		return err
	}
	alive, err := s.alive(ctx, entries)
	if err != nil {
		return err
	}
	others := map[string]int64{} // createdAt by id: a session that rotates is there twice
	for _, other := range alive {
		others[string(other.id)] = other.createdAt
	}
	delete(others, string(sess.state.ID))
	excess := len(others) + 1 - maxSessions
	if excess <= 0 {
		return nil
	}
	oldest := slices.SortedFunc(maps.Keys(others), func(a, b string) int {
		return cmp.Or(cmp.Compare(others[a], others[b]), strings.Compare(a, b)) // ids of one second sort by time
	})[:excess]
	_, err = s.endWhere(ctx, sess.state.UserID, func(e entry) bool { return slices.Contains(oldest, string(e.id)) })
	return err
}
