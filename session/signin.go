package session

import (
	"context"
	"errors"
	"slices"
	"time"
)

// settling is how long a session lives while it is being made. One that is not
// finished, because Redis went away in between, is gone after it.
const settling = 5 * time.Second

// StartPre begins a pre-session: nobody's, with a token, for the ceremony or pending
// sign-in of somebody who is signed out. It lives as long as a ceremony may, and
// longer with each that is begun in it. The client is not kept, since a pre-session is
// on nobody's list. bearer says that the client carries the token itself.
func (s *Store) StartPre(ctx context.Context, _ Client, bearer bool) (*Session, error) {
	ctx, cancel := whole(ctx)
	defer cancel()
	sess := s.draft(bearer)
	sess.idle = s.idleOf(sess.state)
	if err := s.put(ctx, sess, s.lifeLeft(sess, sess.touched)); err != nil {
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
// A session of a bearer is continued for a bearer. The error is an outage; the old
// session is then as it was, unless Redis went away in the very act of replacing it.
func (s *Store) SignIn(ctx context.Context, old *Session, user User, method string, client Client, bearer bool) (*Session, error) {
	if user.ID == "" || method == "" {
		return nil, errors.New("session: signing in takes a user and a method")
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
	if old != nil {
		if err := s.end(ctx, old); err != nil {
			return nil, err
		}
	}
	return sess, s.settle(ctx, sess, nil)
}

// renew begins a session that goes on from old, of the same user; false when old is
// over already. The new session is complete before the old one is touched, and nobody
// has its token yet; taking the old one is the moment at which they change places.
func (s *Store) renew(ctx context.Context, old *Session, user User, method string, client Client, bearer bool) (*Session, bool, error) {
	sess := s.draft(bearer)
	sess.state = old.state.clone()
	sess.state.Bearer = bearer
	s.prove(sess, user, method)
	if err := s.introduce(ctx, sess, client); err != nil {
		return nil, false, err
	}
	last, ok, err := s.take(ctx, old.tag)
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return nil, false, s.end(ctx, sess)
	}
	if s.read(old, last.value) { // another request may have changed it since it was loaded
		sess.state.Language = old.state.Language
	}
	carried, err := s.carry(ctx, old, sess, last.records)
	if err != nil {
		return nil, false, err
	}
	if err := s.settle(ctx, sess, carried); err != nil {
		return nil, false, err
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
	sess.state = state{ID: newID(), CreatedAt: now.Unix(), End: now.Add(s.lifetime).Unix(), Bearer: bearer}
	return sess
}

// prove puts into sess that user has just proved who they are by method.
func (s *Store) prove(sess *Session, user User, method string) {
	known := &sess.state
	known.UserID, known.DisplayName, known.Email = user.ID, valid(user.DisplayName), valid(user.Email)
	known.AuthenticatedAt = sess.touched.Unix()
	if !slices.Contains(known.Methods, method) {
		known.Methods = append(known.Methods, method)
	}
}

// introduce puts a new session in Redis and on its person's list, for as long as it
// takes to settle it. That comes before anything old is ended: if one of the places
// that it needs is away, nobody has been signed out.
func (s *Store) introduce(ctx context.Context, sess *Session, client Client) error {
	p, err := s.keys.person(0, sess.state.UserID)
	if err != nil {
		return err
	}
	if err := s.sealDetails(sess, p, client); err != nil {
		return err
	}
	if err := s.put(ctx, sess, settling); err != nil {
		return err
	}
	return s.enlist(ctx, sess, p)
}

// put writes a new session, to live for life.
func (s *Store) put(ctx context.Context, sess *Session, life time.Duration) error {
	head, body, err := s.value(sess)
	if err != nil {
		return err
	}
	if err := s.redis.Set(ctx, sess.tag.session(), append(head, body...), life).Err(); err != nil {
		return outage(ctx, "write a new session", err)
	}
	return nil
}
