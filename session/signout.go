package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// SignOut ends the session, with its ceremonies and pending sign-ins, on every node
// at once, and takes it off its person's list. To end what is over is no error.
func (s *Store) SignOut(ctx context.Context, sess *Session) error {
	ctx, cancel := whole(ctx)
	defer cancel()
	return s.end(ctx, sess)
}

func (s *Store) end(ctx context.Context, sess *Session) error {
	if _, err := s.kill(ctx, sess.tag); err != nil {
		return err
	}
	s.unlist(ctx, sess)
	return nil
}

// kill ends the session of t, and reports whether there was one.
func (s *Store) kill(ctx context.Context, t tag) (bool, error) {
	last, ok, err := s.take(ctx, t)
	if ok { // else whoever took it may be carrying its records over
		s.sweep(ctx, t, last.records)
	}
	return ok, err
}

// taken is what was left of a session when it was taken: its last value, and the
// records that belong to it.
type taken struct {
	value   []byte
	records []pointer
}

// pointer is an entry of a session's index: a record's name, and its expiry in Unix
// milliseconds.
type pointer struct {
	name   string
	expiry int64
}

// takeScript ends a session and returns its last value and its index; nothing when it
// was over. From then on no record of it can be begun or spent: what does that asks for
// the session first.
var takeScript = redis.NewScript(`
local value = redis.call('GET', KEYS[1])
if not value then return false end
redis.call('DEL', KEYS[1])
return {value, redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}`)

// take ends the session of t and returns what was left of it; false when it was
// over.
func (s *Store) take(ctx context.Context, t tag) (taken, bool, error) {
	reply, err := takeScript.Run(ctx, s.redis, []string{t.session(), t.index()}).Slice()
	switch {
	case errors.Is(err, redis.Nil):
		return taken{}, false, nil
	case err != nil:
		return taken{}, false, outage(ctx, "end", err)
	case len(reply) != 2:
		return taken{}, false, outage(ctx, "end", errors.New("a reply without an index"))
	}
	value, _ := reply[0].(string)
	list, _ := reply[1].([]any)
	last := taken{value: []byte(value)}
	for i := 0; i+1 < len(list); i += 2 {
		name, _ := list[i].(string)
		score, _ := list[i+1].(string)
		expiry, err := strconv.ParseInt(score, 10, 64)
		if err != nil {
			return taken{}, false, outage(ctx, "end", fmt.Errorf("an index without its expiry: %w", err))
		}
		last.records = append(last.records, pointer{name: name, expiry: expiry})
	}
	return last, true, nil
}

// sweep deletes what belonged to a session that is over. Nothing can be done with it
// any more, so that a failure costs a few minutes of memory and nobody an error.
func (s *Store) sweep(ctx context.Context, t tag, records []pointer) {
	if len(records) == 0 {
		return
	}
	keys := []string{t.index()}
	for _, record := range records {
		keys = append(keys, t.record(record.name))
	}
	_ = s.redis.Del(ctx, keys...).Err()
}

// unlist takes a session that is over off its person's list. An entry that stays for
// an outage leaves with the next look at the list.
func (s *Store) unlist(ctx context.Context, sess *Session) {
	if sess.state.UserID == "" {
		return
	}
	for _, p := range s.people(sess.state.UserID) {
		_ = s.redis.ZRem(ctx, p.list, p.entry(sess).member).Err()
	}
}
