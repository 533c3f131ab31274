package idempotency

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// use is one use of a key under way. It ends with kept.Answer set or with an error.
type use struct {
	store *Store
	work  Work
	names []string
	body  *body

	kept     record
	replayed bool // the answer belongs to an earlier use, if the request is the same
}

// firstUse answers under the lease, which keeps others waiting unless it is lost.
func (u *use) firstUse(ctx context.Context) (err error) {
	if u.kept, err = u.store.load(ctx, u.names); err != nil {
		return err
	}
	if u.kept.sent() && !u.kept.answered() {
		if err := u.recover(ctx); err != nil {
			return err
		}
	}
	if u.kept.answered() {
		u.replayed = true
		return nil
	}
	return u.send(ctx)
}

// afterAnother loads the answer of another use, which held the lease a moment ago or
// still holds it to replay the same answer.
func (u *use) afterAnother(ctx context.Context) (err error) {
	if u.kept, err = u.store.load(ctx, u.names); err != nil {
		return err
	}
	if !u.kept.answered() {
		return busy(errors.New("another use holds the lease"))
	}
	u.replayed = true
	return nil
}

// matches reads the request to its end and returns request.idempotency-mismatch if kept
// belongs to another request.
func (u *use) matches(kept record) error {
	digest, err := u.digest(kept)
	if err != nil {
		return err
	}
	if !bytes.Equal(digest, kept.Digest) {
		return mismatch()
	}
	return nil
}

// digest reads the request to its end and returns the digest for a record.
func (u *use) digest(of record) ([]byte, error) {
	digest, err := u.body.digest()
	if err != nil {
		return nil, err
	}
	return u.store.mac(of, digest), nil
}

// recover looks for the object created by a request whose answer got lost. It repeats an
// empty search until that request can no longer take effect.
func (u *use) recover(ctx context.Context) error {
	for {
		settled := !u.store.now().Before(u.kept.UntilAt)
		answer, found, err := u.work.Find(ctx, u.kept.Mark, u.kept.SentAt)
		switch {
		case err != nil:
			return err
		case found:
			return u.keepFound(ctx, answer)
		case settled:
			return nil
		}
		if err := wait(ctx, u.kept.UntilAt.Sub(u.store.now())); err != nil {
			return err
		}
	}
}

// keepFound stores the answer that got lost.
func (u *use) keepFound(ctx context.Context, answer Answer) error {
	next := u.kept
	next.Answer = &answer
	now, ok, err := u.store.swap(ctx, u.kept, next)
	if err == nil && !ok {
		err = busy(errReplaced)
	}
	u.kept = now
	return err
}

// send carries the request out and keeps the answer.
func (u *use) send(ctx context.Context) error {
	a := &Attempt{use: u, ctx: ctx, kept: u.kept}
	answer, err := u.work.Send(ctx, a)
	if refused := a.end(); refused != nil {
		return refused
	}
	if err != nil {
		a.failed()
		return err
	}
	u.kept.Answer = &answer
	return a.keep(answer)
}

var errReplaced = errors.New("another use of the key took its place")

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
