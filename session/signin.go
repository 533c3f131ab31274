package session

import (
	"context"
	"fmt"
	"time"
)

// StartPre begins a pre-session: nobody's, with a token, for the ceremony or pending
// sign-in of somebody who is signed out. It lives as long as either may, and
// longer with each that is begun in it. The client is not kept, since a pre-session is
// on nobody's list. bearer says that the client carries the token itself.
func (s *Store) StartPre(ctx context.Context, _ Client, bearer bool) (*Session, error) {
	ctx, cancel := whole(ctx)
	defer cancel()
	sess := s.draft(bearer)
	sess.idle = s.idleOf(sess.state)
	if err := s.put(ctx, sess); err != nil {
		return nil, err
	}
	return sess, nil
}

// SignIn begins a session of user, who has just proved by method who they are, and
// returns it; its token is always new. old is the session that the request came with,
// nil if none, and is over afterwards:
//
//   - the same user's: the new session goes on from it. It keeps id, createdAt, absolute
//     end and language, adds the method, and takes over what is pending: a ceremony
//     begun before is finished under the new token, one spent before stays spent.
//   - a pre-session: it is consumed, with all that was pending in it. The language stays.
//   - another user's: it is ended as by SignOut.
//
// Who signs in twice from one old session at the same time gets two sessions: one goes
// on from the old one, the other starts afresh, since both proved who they are. The same
// holds when the old session is signed out meanwhile: it is not continued.
//
// A session of a bearer is continued for a bearer. The error is an outage, and then
// the old session is as it was, unless Redis went away in the very act of ending it.
func (s *Store) SignIn(ctx context.Context, old *Session, user User, method string, client Client, bearer bool) (*Session, error) {
	if _, ok := methods.with(nil, method); user.ID == "" || !ok {
		return nil, fmt.Errorf("session: nobody signs in as %q by %q", user.ID, method)
	}
	ctx, cancel := whole(ctx)
	defer cancel()
	bearer = bearer || old != nil && old.Bearer()
	if old != nil && old.state.UserID == user.ID {
		sess, ok, err := s.renew(ctx, old, user, method, client, bearer)
		if ok || err != nil {
			return sess, err
		}
		old = nil
	}
	return s.replace(ctx, old, user, method, client, bearer)
}

// replace begins a session that has nothing to do with old, and ends old if any.
func (s *Store) replace(ctx context.Context, old *Session, user User, method string, client Client, bearer bool) (*Session, error) {
	sess := s.draft(bearer)
	s.prove(sess, user, method)
	if old != nil && old.state.UserID == "" {
		sess.state.Language = old.state.Language
	}
	if err := s.introduce(ctx, sess, client); err != nil {
		return nil, err
	}
	if old == nil {
		return sess, nil
	}
	if err := s.end(ctx, old); err != nil {
		s.discard(ctx, sess)
		return nil, err
	}
	return sess, nil
}

// renew begins a session that goes on from old, of the same user; false when old is
// over already. The new session is there before the old one is touched, and nobody has
// its token yet: taking the old one is the moment at which they change places. What
// fails after that costs a ceremony that has to be begun anew, and signs nobody out.
func (s *Store) renew(ctx context.Context, old *Session, user User, method string, client Client, bearer bool) (*Session, bool, error) {
	sess := s.draft(bearer)
	sess.state = old.state.clone()
	sess.state.Bearer = bearer
	s.prove(sess, user, method)
	if err := s.introduce(ctx, sess, client); err != nil {
		return nil, false, err
	}
	last, ok, err := s.take(ctx, old.tag)
	if !ok {
		s.discard(ctx, sess)
		return nil, false, err
	}
	if records, err := s.carry(ctx, old, sess, last.records); err == nil {
		_ = s.adopt(ctx, sess, records)
	}
	if s.read(old, last.value) && old.Language() != sess.Language() { // chosen since it was loaded
		_ = s.setLanguage(ctx, sess, old.Language())
	}
	s.sweep(ctx, old.tag, last.records)
	s.unlist(ctx, old)
	return sess, true, nil
}

// draft is a new session of nobody, known to nobody.
func (s *Store) draft(bearer bool) *Session {
	now := s.now()
	sess := &Session{token: newToken(), revision: 1, touched: now, idle: s.idle, fresh: true}
	sess.tag = sess.token.tag()
	sess.state = state{ID: newID(), CreatedAt: now.Unix(), Life: int64(s.lifetime / time.Second), Bearer: bearer}
	return sess
}

// prove puts into sess that user has just proved who they are by method.
func (s *Store) prove(sess *Session, user User, method string) {
	known := &sess.state
	known.UserID, known.DisplayName, known.Email = user.ID, valid(user.DisplayName), valid(user.Email)
	known.Proven = sess.touched.Unix() - known.CreatedAt
	known.Methods, _ = known.Methods.with(method)
}

// introduce puts a new session in Redis and on its person's list. That comes before
// anything old is ended: if one of the places that it needs is away, nobody has been
// signed out. Its entry comes after it, since a list strikes off what is not there.
func (s *Store) introduce(ctx context.Context, sess *Session, client Client) error {
	p := s.people(sess.state.UserID)[0]
	if err := s.sealDetails(sess, p, client); err != nil {
		return err
	}
	if err := s.put(ctx, sess); err != nil {
		return err
	}
	if err := s.enlist(ctx, sess, p); err != nil {
		s.discard(ctx, sess)
		return err
	}
	return nil
}

// put writes a new session.
func (s *Store) put(ctx context.Context, sess *Session) error {
	head, body, err := s.value(sess)
	if err != nil {
		return err
	}
	if err := s.redis.Set(ctx, sess.tag.session(), append(head, body...), s.lifeLeft(sess, sess.touched)).Err(); err != nil {
		return outage(ctx, "write a new session", err)
	}
	return nil
}

// discard takes back a new session that came to nothing. Nobody has its token; where
// that fails too, it ends by being unused.
func (s *Store) discard(ctx context.Context, sess *Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	_ = s.end(ctx, sess)
}
