package session

import (
	"context"
	"time"
)

// since returns at in milliseconds after the session's begin.
func (s state) since(at time.Time) int64 { return at.UnixMilli() - s.CreatedAt*1000 }

// Asked returns the time of the platform's last answer about the account, the sign-in
// included, and the time of the last question, answered or not.
func (s *Session) Asked() (answered, asked time.Time) {
	known := s.state
	last := max(known.AnsweredAfter, known.AuthenticatedAfter*1000)
	at := func(after int64) time.Time { return time.UnixMilli(known.CreatedAt*1000 + after).UTC() }
	return at(last), at(max(last, known.AskedAfter))
}

// Answered stores what the platform has answered about the signed-in person at that time:
// name and e-mail address.
func (s *Store) Answered(ctx context.Context, sess *Session, user User, at time.Time) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.change(ctx, sess, "note the platform's answer", func(known *state) {
		known.setProfile(user)
		known.AnsweredAfter, known.AskedAfter = max(known.AnsweredAfter, known.since(at)), 0
	})
}

// Unanswered stores that the platform was asked about the signed-in person at that time
// and did not answer.
func (s *Store) Unanswered(ctx context.Context, sess *Session, at time.Time) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.change(ctx, sess, "note a question to the platform", func(known *state) {
		known.AskedAfter = max(known.AskedAfter, known.since(at))
	})
}

// Reload returns the session as it is now; false if it is over. The error is an outage.
func (s *Store) Reload(ctx context.Context, sess *Session) (*Session, bool, error) {
	return s.load(ctx, sess.token)
}

// EndAll ends every session of the person userID. It returns false if there was none.
func (s *Store) EndAll(ctx context.Context, userID string) (bool, error) {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.endWhere(ctx, userID, func(entry) bool { return true })
}
