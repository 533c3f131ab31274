package session

import (
	"bytes"
	"context"
	"slices"
)

// SignOut ends the session, with its records, on every node at once, and takes it off its
// person's list. Ending a session that is already over is no error.
func (s *Store) SignOut(ctx context.Context, sess *Session) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.end(ctx, sess)
}

func (s *Store) end(ctx context.Context, sess *Session) error {
	ended, err := s.take(ctx, sess.tag)
	if err != nil {
		return err
	}
	_ = s.clean(ctx, ended, s.entriesOf(sess)) // the session is over, even if this fails
	return nil
}

// End ends the session id of the person userID. It returns false if the person has no
// such session.
func (s *Store) End(ctx context.Context, userID, id string) (bool, error) {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	return s.endWhere(ctx, userID, func(e entry) bool { return encode(e.id) == id })
}

// EndOthers ends every session of sess's person except sess itself.
func (s *Store) EndOthers(ctx context.Context, sess *Session) error {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	_, err := s.endWhere(ctx, sess.state.UserID, func(e entry) bool { return !bytes.Equal(e.id, sess.state.ID) })
	return err
}

// endWhere ends the sessions of the person for which meant is true, and repeats until
// none is left, since a session may be rotating into a new token meanwhile. Each
// repetition takes a few round trips, however many sessions there are.
func (s *Store) endWhere(ctx context.Context, userID string, meant func(entry) bool) (found bool, err error) {
	for {
		entries, err := s.entries(ctx, userID)
		if err != nil {
			return found, err
		}
		entries = slices.DeleteFunc(entries, func(e entry) bool { return !meant(e) })
		if len(entries) == 0 {
			return found, nil
		}
		tags := make([]tag, len(entries))
		for i, e := range entries {
			tags[i] = e.tag
		}
		ended, err := s.take(ctx, tags...)
		found = found || len(ended) > 0
		if err == nil {
			err = s.clean(ctx, ended, entries)
		}
		if err != nil {
			return found, err
		}
	}
}
