package session

import (
	"context"
	"fmt"
	"time"
)

// SignIn is a person who has just proved their identity, and the way they did.
type SignIn struct {
	// Old is the session that the request came with, nil if none.
	Old *Session
	// User is the person, and Method the way: one of Session.Methods.
	User   User
	Method string
	// Passkey is the passkey of a sign-in by one; nil for other ways.
	Passkey *Passkey
	// Client is the place of the sign-in. Bearer says that the client carries the token
	// itself; a bearer's session continues as a bearer's in any case.
	Client Client
	Bearer bool
	// Key is the thumbprint of the key that the client has proved to hold, and that the
	// session is bound to; nil for none. A bound session is continued as bound in any
	// case.
	Key []byte
}

// StartPre begins a pre-session: a session of nobody, with a token, for the ceremony or
// the push of somebody who is signed out. It lives a minute longer than the last record
// begun in it, and is on nobody's list. bearer says that the client carries the token
// itself, and key is as in SignIn.
func (s *Store) StartPre(ctx context.Context, bearer bool, key []byte) (*Session, error) {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	sess := s.newSession(bearer)
	sess.state.Key = key
	sess.idle = s.idleOf(sess.state)
	if err := s.put(ctx, sess); err != nil {
		return nil, err
	}
	return sess, nil
}

// SignIn begins a session of in.User and returns it; its token is always new. in.Old is
// over afterwards:
//
//   - the same user's: the new session goes on from it. It keeps id, createdAt, absolute
//     end and language, adds the method, and takes over the records: a ceremony begun
//     before is finished under the new token, one spent before stays spent.
//   - a pre-session: it is consumed, with all its records. The language stays.
//   - another user's: it is ended as by SignOut.
//
// Two concurrent sign-ins with one old session make two sessions: one continues the old
// one, the other starts afresh, since both people proved their identity. In the same way, an old
// session that is signed out meanwhile is not continued, nor one whose end was not
// answered: who ended it is then not known.
//
// A person has 50 sessions at most: the oldest by createdAt end, but never the one just
// begun, unless 50 others have begun meanwhile.
//
// The error is an outage, and then the old session is unchanged, unless Redis went away
// at the moment of ending it and stayed away.
func (s *Store) SignIn(ctx context.Context, in SignIn) (*Session, error) {
	if _, ok := methods.with(nil, in.Method); in.User.ID == "" || !ok {
		return nil, fmt.Errorf("session: sign-in without a user or a known method: %q by %q", in.User.ID, in.Method)
	}
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	in.Bearer = in.Bearer || in.Old != nil && in.Old.Bearer()
	if in.Old != nil && in.Old.Bound() {
		in.Key = in.Old.Key()
	}
	sess, err := s.begin(ctx, in)
	if err != nil {
		return nil, err
	}
	_ = s.limit(ctx, sess) // after an outage here, the next sign-in ends them
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

// replace begins a session unrelated to the old one, and ends the old one.
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

// renew begins a session that continues the old one, of the same user; it returns false
// if the old one is already over. The new session exists before the old one is touched,
// but nobody has its token yet: taking the old one is the moment of the change. A failure
// after that loses at most a ceremony, which then has to be begun again, and signs nobody
// out.
func (s *Store) renew(ctx context.Context, in SignIn) (*Session, bool, error) {
	old, sess := in.Old, s.newSession(in.Bearer)
	sess.state = old.state.clone()
	sess.state.Bearer = in.Bearer
	in.authenticate(sess)
	if err := s.create(ctx, sess, in.Client); err != nil {
		return nil, false, err
	}
	ended, err := s.take(ctx, old.tag)
	if err != nil { // its answer may have got lost, and the old session is over
		ended, err = s.take(ctx, old.tag)
	}
	if len(ended) == 0 {
		s.discard(ctx, sess)
		return nil, false, err
	}
	last := ended[0]
	if records, err := s.reseal(ctx, old, sess, last.records); err == nil {
		_ = s.addRecords(ctx, sess, records)
	}
	if s.read(old, last.value) && old.Language() != sess.Language() { // chosen since sess was loaded
		_ = s.setLanguage(ctx, sess, old.Language())
	}
	_ = s.clean(ctx, ended, s.entriesOf(old))
	return sess, true, nil
}

// newSession returns a session of nobody, not yet stored.
func (s *Store) newSession(bearer bool) *Session {
	now := s.now()
	sess := &Session{token: newToken(), revision: 1, touched: now, idle: s.idle, fresh: true}
	sess.tag = sess.token.tag()
	sess.state = state{ID: newID(now), CreatedAt: now.Unix(), Life: int64(s.lifetime / time.Second), Bearer: bearer}
	return sess
}

// authenticate makes sess a session of in.User. A missing profile does not replace the
// session's known one.
func (in SignIn) authenticate(sess *Session) {
	known := &sess.state
	if known.UserID == "" || !in.User.ProfileMissing {
		known.setProfile(in.User)
	}
	known.UserID, known.Key = in.User.ID, in.Key
	known.AuthenticatedAfter = sess.touched.Unix() - known.CreatedAt
	known.AnsweredAfter, known.AskedAfter = 0, 0 // the sign-in is the last answer
	known.Methods, _ = known.Methods.with(in.Method)
	if in.Passkey != nil {
		known.Passkey = in.Passkey.used(sess.touched)
	}
}

// create stores a new session and puts it on its person's list. This happens before
// anything old is ended: if a part of Redis is away, nobody has been signed out. The
// entry follows the session, since an entry without a session is removed.
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

// put stores a new session.
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

// discard deletes a new session that was not used. Nobody has its token; if the deletion
// fails too, the session expires.
func (s *Store) discard(ctx context.Context, sess *Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	_ = s.end(ctx, sess)
}
