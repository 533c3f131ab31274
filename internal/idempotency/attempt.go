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
	givenBack bool // nothing was made
	over      bool
	refused   error // why the platform must not have the whole request
}

// Body is the request's body. What is read of it is digested; what Send leaves is read
// later.
func (a *Attempt) Body() io.Reader { return a.use.body }

// Mark is what that which is made has to bear for Work.Find.
func (a *Attempt) Mark() string { return a.kept.Mark }

// Responded says that the platform's response has begun, so that nothing takes effect
// after it.
func (a *Attempt) Responded() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.responded = true
}

// GiveBack says that nothing was made of the request and nothing will be: where Send ends
// in an error, the key is as it was before its first use.
func (a *Attempt) GiveBack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.givenBack = true
}

// Heard says what the platform answered, if it did: err is why its call failed, nil for a
// success. A refusal by which nothing was made gives the key back.
func (a *Attempt) Heard(err error) {
	said, refused := errors.AsType[*upstream.Error](err)
	switch {
	case refused && (said.Status >= 400 && said.Status <= 499 || said.Status == http.StatusServiceUnavailable):
		a.GiveBack()
	case err == nil || refused:
		a.Responded()
	}
}

// withheldLength is how many of the last bytes wait for the commit: the last boundary
// of a multipart body (76 bytes at most), or enough to make JSON incomplete.
const withheldLength = 128

// Withhold returns body, which is what the platform is sent, and keeps its last bytes
// back until the record says what was sent: the platform cannot act on what it has only
// in part. Where the record cannot be written, or is another's, reading ends with an
// error, and so must the call.
func (a *Attempt) Withhold(body io.ReadCloser) io.ReadCloser {
	return &withheld{Closer: body, buffer: bufio.NewReaderSize(body, 32<<10), release: a.commit}
}

type withheld struct {
	io.Closer
	buffer   *bufio.Reader
	release  func() error
	released bool
}

func (w *withheld) Read(p []byte) (int, error) {
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

// commit writes what is being sent.
func (a *Attempt) commit() error {
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

// digested is the record with the request's digest, if that is the key's.
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

// swap puts next in the record's place, or is request.idempotency-busy.
func (a *Attempt) swap(ctx context.Context, next record) error {
	now, ok, err := a.use.store.swap(ctx, a.kept, next)
	if err != nil {
		return err
	}
	if !ok {
		return busy(errTaken)
	}
	a.kept = now
	return nil
}

// end lets nothing be sent any more, and is why nothing was, if so.
func (a *Attempt) end() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	return a.refused
}

// failed drops the record of a key that is given back, else it notes until when a request
// without an answer may take effect. If Redis fails too, what was noted before the request
// was sent goes on.
func (a *Attempt) failed() {
	a.mu.Lock()
	committed, responded, givenBack := a.committed, a.responded, a.givenBack
	a.mu.Unlock()
	if givenBack && a.kept.sent() {
		_ = a.use.store.drop(context.WithoutCancel(a.ctx), a.kept)
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

// keep keeps answer. One that is too long is not kept, nor the answer to a request that
// cannot be read whole. The client may have left: its next use wants the answer.
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
