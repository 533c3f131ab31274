package session

import (
	"context"
	"fmt"
	"time"
)

// SignIn is a person who has just proved who they are, and how.
type SignIn struct {
	// Old is the session that the request came with, nil if none.
	Old *Session
	// User is who they are, Method by what they proved it: one of Session.Methods.
	User   User
	Method string
	// Client is where they sign in from. Bearer says that it carries the token itself;
	// a session of a bearer is continued for a bearer in any case.
	Client Client
	Bearer bool
}

// StartPre begins a pre-session: nobody's, with a token, for the ceremony or the push
// of somebody who is signed out. It lives a minute longer than what was last begun in
// it may, and is on nobody's list. bearer says that the client carries the token itself.
func (s *Store) StartPre(ctx context.Context, bearer bool) (*Session, error) {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	sess := s.newSession(bearer)
	sess.idle = s.idleOf(sess.state)
	if err := s.put(ctx, sess); err != nil {
		return nil, err
	}
	return sess, nil
}

// SignIn begins a session of in.User and returns it; its token is always new. in.Old
// is over afterwards:
//
//   - the same user's: the new session goes on from it. It keeps id, createdAt, absolute
//     end and language, adds the method, and takes over the records: a ceremony begun
//     before is finished under the new token, one spent before stays spent.
//   - a pre-session: it is consumed, with all its records. The language stays.
//   - another user's: it is ended as by SignOut.
//
// Who signs in twice from one old session at the same time gets two sessions: one goes
// on from the old one, the other starts afresh, since both proved who they are. The same
// holds when the old session is signed out meanwhile: it is not continued.
//
// A person has 50 sessions at most: the oldest by createdAt end, never the one just
// begun.
//
// The error is an outage, and then the old session is as it was, unless Redis went away
// in the very act of ending it.
func (s *Store) SignIn(ctx context.Context, in SignIn) (*Session, error) {
	if _, ok := methods.with(nil, in.Method); in.User.ID == "" || !ok {
		return nil, fmt.Errorf("session: nobody signs in as %q by %q", in.User.ID, in.Method)
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	in.Bearer = in.Bearer || in.Old != nil && in.Old.Bearer()
	sess, err := s.begin(ctx, in)
	if err != nil {
		return nil, err
	}
	_ = s.limit(ctx, sess) // what an outage keeps alive ends with the next sign-in
	return sess, nil
}

// begin renews the old session, or replaces it.
func (s *Store) begin(ctx context.Context, in SignIn) (*Session, error) {
	if in.Old != nil && in.Old.state.UserID == in.User.ID {
		sess, ok, err := s.renew(ctx, in)
		if ok || err != nil {
			return sess, err
		}
		in.Old = nil
	}
	return s.replace(ctx, in)
}

// replace begins a session that has nothing to do with the old one, and ends that.
func (s *Store) replace(ctx context.Context, in SignIn) (*Session, error) {
	sess := s.newSession(in.Bearer)
	in.authenticate(sess)
	if in.Old != nil && in.Old.state.UserID == "" {
		sess.state.Language = in.Old.state.Language
	}
	if err := s.create(ctx, sess, in.Client); err != nil {
		return nil, err
	}
	if in.Old == nil {
		return sess, nil
	}
	if err := s.end(ctx, in.Old); err != nil {
		s.discard(ctx, sess)
		return nil, err
	}
	return sess, nil
}

// renew begins a session that goes on from the old one, of the same user; false when
// that is over already. The new session is there before the old one is touched, and
// nobody has its token yet: taking the old one is the moment at which they change
// places. What fails after that costs a ceremony that has to be begun anew, and signs
// nobody out.
func (s *Store) renew(ctx context.Context, in SignIn) (*Session, bool, error) {
	old, sess := in.Old, s.newSession(in.Bearer)
	sess.state = old.state.clone()
	sess.state.Bearer = in.Bearer
	in.authenticate(sess)
	if err := s.create(ctx, sess, in.Client); err != nil {
		return nil, false, err
	}
	ended, err := s.take(ctx, old.tag)
	if len(ended) == 0 {
		s.discard(ctx, sess)
		return nil, false, err
	}
	last := ended[0]
	if records, err := s.reseal(ctx, old, sess, last.records); err == nil {
		_ = s.addRecords(ctx, sess, records)
	}
	if s.read(old, last.value) && old.Language() != sess.Language() { // chosen since it was loaded
		_ = s.setLanguage(ctx, sess, old.Language())
	}
	_ = s.clean(ctx, ended, s.entriesOf(old))
	return sess, true, nil
}

// newSession is a session of nobody, known to nobody.
func (s *Store) newSession(bearer bool) *Session {
	now := s.now()
	sess := &Session{token: newToken(), revision: 1, touched: now, idle: s.idle, fresh: true}
	sess.tag = sess.token.tag()
	sess.state = state{ID: newID(), CreatedAt: now.Unix(), Life: int64(s.lifetime / time.Second), Bearer: bearer}
	return sess
}

// authenticate makes sess one of in.User. A profile that is missing this time does not
// take the place of one that the session has.
func (in SignIn) authenticate(sess *Session) {
	known := &sess.state
	if known.UserID == "" || !in.User.ProfileMissing {
		known.setProfile(in.User)
	}
	known.UserID = in.User.ID
	known.AuthenticatedAfter = sess.touched.Unix() - known.CreatedAt
	known.Methods, _ = known.Methods.with(in.Method)
}

// create puts a new session in Redis and on its person's list. That comes before
// anything old is ended: if one of the places that it needs is away, nobody has been
// signed out. Its entry comes after it, since an entry without a session is removed.
func (s *Store) create(ctx context.Context, sess *Session, client Client) error {
	p := s.people(sess.state.UserID)[0]
	if err := s.sealDetails(sess, p, client); err != nil {
		return err
	}
	if err := s.put(ctx, sess); err != nil {
		return err
	}
	if err := s.addEntry(ctx, sess, p); err != nil {
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
