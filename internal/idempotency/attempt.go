package idempotency

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"countersign/internal/upstream"
)

// Attempt is a request on its way to the platform, within Work.Send. It is safe for
// concurrent use: transports send and receive at once.
type Attempt struct {
	use *use
	ctx context.Context

	mu        sync.Mutex
	kept      record
	committed bool
	responded bool
	givenBack bool // nothing was created
	over      bool
	refused   error // why the platform must not get the whole request
}

// Body returns the request's body. What Send reads of it is digested at once, the rest
// later.
func (a *Attempt) Body() io.Reader { return a.use.body }

// Token returns the mark that the created object must carry, so that Work.Find finds it.
func (a *Attempt) Token() string { return a.kept.Mark }

// Responded says what the platform answered, if it did: err is why its call failed, nil for a
// success. Nothing takes effect after an answer has begun. A refusal by which nothing was made
// gives the key back: it is then as before its first use.
func (a *Attempt) Responded(err error) {
	said, refused := errors.AsType[*upstream.Error](err)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case refused && (said.Status >= 400 && said.Status <= 499 || said.Status == http.StatusServiceUnavailable):
		a.givenBack = true
	case err == nil || refused:
		a.responded = true
	}
}

// withheldLength is the number of last bytes that wait for the commit: the last boundary
// of a multipart body (76 bytes at most), or enough to leave JSON incomplete.
const withheldLength = 128

// HoldLastBytes returns body, which goes to the platform, with its last bytes held back until
// the record says what was sent: the platform cannot act on a partial request. If the
// record cannot be written, or is another's, reading fails, and so must the call.
func (a *Attempt) HoldLastBytes(body io.ReadCloser) io.ReadCloser {
	return &tailHolder{Closer: body, buffer: bufio.NewReaderSize(body, 32<<10), release: a.Commit}
}

type tailHolder struct {
	io.Closer
	buffer   *bufio.Reader
	release  func() error
	released bool
}

func (w *tailHolder) Read(p []byte) (int, error) {
	if w.released {
		return w.buffer.Read(p)
	}
	_, err := w.buffer.Peek(withheldLength + 1)
	if err == nil {
		return w.buffer.Read(p[:min(len(p), w.buffer.Buffered()-withheldLength)])
	}
	if !errors.Is(err, io.EOF) {
		return 0, err
	}
	if err := w.release(); err != nil {
		return 0, err
	}
	w.released = true
	return w.buffer.Read(p)
}

// Commit writes the record of a request that is about to be sent: by HoldLastBytes before its last
// bytes, or by the caller that sends it in one call. After an error it must not be sent.
func (a *Attempt) Commit() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return context.Canceled
	}
	a.committed, a.refused = true, a.write()
	return a.refused
}

func (a *Attempt) write() error {
	next, err := a.digested()
	if err != nil {
		return err
	}
	now := a.use.store.now()
	next.UntilAt = now.Add(a.use.store.settle)
	if next.SentAt.IsZero() {
		next.SentAt = now
	}
	return a.swap(a.ctx, next)
}

// digested returns the record with the request's digest, or request.idempotency-mismatch
// if the record has another one.
func (a *Attempt) digested() (record, error) {
	digest, err := a.use.digest(a.kept)
	if err != nil {
		return record{}, err
	}
	if a.kept.sent() && !bytes.Equal(digest, a.kept.Digest) {
		return record{}, mismatch()
	}
	next := a.kept
	next.Digest = digest
	return next, nil
}

// swap replaces the record by next, or returns request.idempotency-busy.
func (a *Attempt) swap(ctx context.Context, next record) error {
	now, ok, err := a.use.store.swap(ctx, a.kept, next)
	if err != nil {
		return err
	}
	if !ok {
		return busy(errReplaced)
	}
	a.kept = now
	return nil
}

// end stops anything further from being sent. It returns the error that kept the request
// from being sent, if there was one.
func (a *Attempt) end() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	return a.refused
}

// failed drops the record of a key that is given back. Otherwise it writes until when the
// unanswered request may take effect. If Redis fails too, the time written before the
// request was sent stays valid.
func (a *Attempt) failed() {
	a.mu.Lock()
	committed, responded, givenBack := a.committed, a.responded, a.givenBack
	a.mu.Unlock()
	if givenBack && a.kept.sent() {
		_, _ = a.use.store.exchange(context.WithoutCancel(a.ctx), a.kept, nil)
		return
	}
	if !committed {
		return
	}
	next := a.kept
	next.UntilAt = a.use.store.now()
	if !responded {
		next.UntilAt = next.UntilAt.Add(a.use.store.grace)
	}
	_ = a.swap(context.WithoutCancel(a.ctx), next)
}

// keep stores answer, unless it is too long or the request cannot be read whole. It does
// so even if the client has left, whose next use needs the answer.
func (a *Attempt) keep(answer Answer) error {
	if len(answer.Body) > maxAnswer {
		a.failed()
		return nil
	}
	next := a.kept
	if !a.committed {
		var err error
		if next, err = a.digested(); err != nil && !a.kept.sent() {
			return nil
		} else if err != nil {
			return err
		}
	}
	next.Answer = &answer
	if err := a.swap(context.WithoutCancel(a.ctx), next); err != nil {
		return fmt.Errorf("idempotency: keep the answer: %w", err)
	}
	return nil
}
