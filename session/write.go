package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// touchScript marks a session as used. ARGV: last use, milliseconds to live.
var touchScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SETRANGE', KEYS[1], 8, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`)

// Touch marks the session as used: it lives SESSION_IDLE from now, but not beyond its
// absolute end. It calls Redis only once a tenth of that time has passed since the last
// use. A session that ended meanwhile stays ended, without an error. After an outage, and
// with a full Redis, the session is unchanged, and the caller may go on.
func (s *Store) Touch(ctx context.Context, sess *Session) error {
	now := s.now()
	if now.Sub(sess.touched) < sess.idle/10 {
		return nil
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	err := touchScript.Run(ctx, s.redis, []string{sess.tag.session()}, milliseconds(now), s.lifeLeft(sess, now).Milliseconds()).Err()
	if err != nil {
		return outage(ctx, "touch", err)
	}
	sess.touched = now
	return nil
}

// SetLanguage stores the BCP 47 tag that the person chose; "" deletes it.
func (s *Store) SetLanguage(ctx context.Context, sess *Session, tag string) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.setLanguage(ctx, sess, tag)
}

func (s *Store) setLanguage(ctx context.Context, sess *Session, tag string) error {
	return s.change(ctx, sess, "set the language", func(known *state) { known.Language = valid(tag) })
}

// SetUser sets the display name and the e-mail address of the signed-in person. It does
// not change who is signed in.
func (s *Store) SetUser(ctx context.Context, sess *Session, user User) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.change(ctx, sess, "set the user", func(known *state) { known.setProfile(user) })
}

// changeScript replaces a session's state if its revision is still the one that was read.
// ARGV: that revision, the next, body. It returns nothing if the session has ended, the
// current value if the revision is stale, and 1 on success. Last use and time to live
// stay unchanged.
var changeScript = redis.NewScript(`
local value = redis.call('GET', KEYS[1])
if not value then return false end
if string.sub(value, 1, 8) ~= ARGV[1] then return value end
redis.call('SET', KEYS[1], ARGV[2] .. string.sub(value, 9, 16) .. ARGV[3], 'KEEPTTL')
return 1`)

// change edits the session's state as changeAll does.
func (s *Store) change(ctx context.Context, sess *Session, doing string, edit func(*state)) error {
	return s.changeAll(ctx, sess, doing, func(next *Session) { edit(&next.state) })
}

// changeAll edits the session's state and details despite concurrent changes: Redis refuses a
// stale write, and the edit is repeated on the newer ones, until ctx ends.
func (s *Store) changeAll(ctx context.Context, sess *Session, doing string, edit func(*Session)) error {
	for {
		next := *sess
		next.state = sess.state.clone()
		next.revision++
		edit(&next)
		head, body, err := s.value(&next)
		if err != nil {
			return err
		}
		reply, err := changeScript.Run(ctx, s.redis, []string{sess.tag.session()}, number(sess.revision), head[:touchedAt], body).Result()
		switch current, stale := reply.(string); {
		case errors.Is(err, redis.Nil):
			return ended(doing)
		case err != nil:
			return outage(ctx, doing, err)
		case !stale:
			sess.state, sess.details, sess.revision = next.state, next.details, next.revision
			return nil
		case !s.read(sess, []byte(current)):
			return ended(doing)
		}
	}
}

// lifeLeft returns how long Redis keeps a session that is used now.
func (s *Store) lifeLeft(sess *Session, now time.Time) time.Duration {
	return max(time.Millisecond, min(sess.idle, unix(sess.state.end()).Sub(now)))
}

// milliseconds encodes t as in a session's header.
func milliseconds(t time.Time) []byte { return number(uint64(t.UnixMilli())) }

// valid returns text as valid UTF-8, which CBOR requires; a client may send other bytes.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
