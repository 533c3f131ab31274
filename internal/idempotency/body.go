package idempotency

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"countersign/internal/fault"
)

// body is a request's body, digested as it is read. It is safe for concurrent use.
type body struct {
	mu     sync.Mutex
	from   io.Reader
	to     *digester
	closed bool
}

func newBody(r Request) *body {
	return &body{from: r.Body, to: newDigester(r.Method, r.Path, r.ContentType)}
}

// Read reads the request's own body and digests it.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := b.from.Read(p)
	b.to.write(p[:n])
	return n, err
}

// digest reads what is left and returns the digest of all, or request.too-large or
// request.malformed.
func (b *body) digest() ([]byte, error) {
	if _, err := io.Copy(io.Discard, b); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, fault.Wrap(fault.RequestTooLarge, err)
		}
		return nil, fault.Wrap(fault.RequestMalformed, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	digest, err := b.to.sum()
	if err != nil {
		return nil, fault.Wrap(fault.RequestMalformed, err)
	}
	return digest, nil
}

// close ends the digest: later reads of the body fail.
func (b *body) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	_, _ = b.to.sum()
}
