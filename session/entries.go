package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

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

// newerWait limits the time in which newer sign-ins may end one that finds itself among the
// oldest; then it judges again.
const newerWait = 200 * time.Millisecond

// limit ends the oldest sessions of sess's person beyond maxSessions. It runs after sess was
// put on the list, so that of two concurrent sign-ins the later sees both; and all of them
// agree which sessions are the oldest, so that none is ended in the place of one that another
// sign-in ends.
//
// If sess is among the oldest itself, 50 others have come since, and the latest of them ends
// it. Where none does, since sess was renewed or the clocks of two nodes are apart, the next
// oldest ends in its place.
func (s *Store) limit(ctx context.Context, sess *Session) error {
	for waited := false; ; waited = true {
		ids, err := s.byAge(ctx, sess.state.UserID)
		excess := len(ids) - maxSessions
		if err != nil || excess <= 0 {
			return err
		}
		own := slices.Index(ids, string(sess.state.ID))
		if waited && own == 0 && excess == 1 {
			ids, own = ids[1:], -1
		}
		oldest := ids[:excess]
		if _, err = s.endWhere(ctx, sess.state.UserID, func(e entry) bool {
			return slices.Contains(oldest, string(e.id)) && string(e.id) != string(sess.state.ID)
		}); err != nil || own < 0 || own >= excess {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(newerWait):
		}
	}
}

// byAge returns the ids of the person's sessions, the oldest first; none if there are not
// more than maxSessions.
func (s *Store) byAge(ctx context.Context, userID string) ([]string, error) {
	entries, err := s.entries(ctx, userID)
	if err != nil || len(entries) <= maxSessions {
		return nil, err
	}
	alive, err := s.alive(ctx, entries)
	if err != nil {
		return nil, err
	}
	began := map[string]int64{} // createdAt by id: a session that rotates is there twice
	for _, one := range alive {
		began[string(one.id)] = one.createdAt
	}
	return slices.SortedFunc(maps.Keys(began), func(a, b string) int {
		return cmp.Or(cmp.Compare(began[a], began[b]), strings.Compare(a, b)) // ids of one second sort by time
	}), nil
}
