package web

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
)

// uploadFrom is how long a body is, in bytes, that counts as an upload without files too.
const uploadFrom = 1 << 20

// uploads bounds how many uploads of a person are under way: whatever carries files, and
// other bodies from uploadFrom on. Of a body that does not say how long it is that shows
// while it is read.
func (e *edge) uploads(c *gin.Context) {
	u := &upload{edge: e, ctx: c.Request.Context(), state: request.From(c)}
	if person, signedIn := request.Person(c); signedIn {
		u.user = person.ID
	}
	defer u.end()
	switch r := c.Request; {
	case strings.HasPrefix(c.ContentType(), "multipart/"), r.ContentLength > uploadFrom:
		if err := u.begin(); err != nil {
			_ = c.Error(err)
			c.Abort()
			return
		}
	case r.ContentLength < 0:
		r.Body = &growingBody{ReadCloser: r.Body, left: uploadFrom, upload: u}
	}
	c.Next()
}

// upload is one that may be under way. It is safe for concurrent use: who reads the body
// may go on when the request has ended.
type upload struct {
	*edge
	ctx   context.Context
	state *request.State
	user  string // whose it is; "" for nobody's

	mu      sync.Mutex
	ended   bool
	release func() // not nil while it is under way
}

// begin takes one of the person's places; without a session nobody's. The error is
// request.rate where there is none, or an outage.
func (u *upload) begin() (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended || u.release != nil {
		return nil
	}
	release := func() {}
	if u.user != "" {
		if release, err = u.Uploads(u.ctx, u.user); err != nil {
			return err
		}
	}
	u.release = release
	u.Metrics.uploads.Inc()
	return nil
}

func (u *upload) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	if u.release != nil {
		u.release()
		u.Metrics.uploads.Dec()
	}
}

// growingBody becomes an upload when more than left has been read of it.
type growingBody struct {
	io.ReadCloser
	left   int64
	upload *upload
}

func (b *growingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left >= 0 {
		return n, err
	}
	if full := b.upload.begin(); full != nil {
		b.upload.state.Cut(full)
		return 0, full
	}
	return n, err
}
