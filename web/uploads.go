package web

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
)

// uploadFrom is the length, in bytes, from which a body without files also counts as an
// upload.
const uploadFrom = 1 << 20

// uploads limits a person's concurrent uploads: all bodies with files, and other bodies
// from uploadFrom on. A body of unknown length is recognized while it is read.
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

// upload is one request that may become an upload. It is safe for concurrent use: the
// body may still be read after the request has ended.
type upload struct {
	*edge
	ctx   context.Context
	state *request.State
	user  string // the uploader; "" without a session

	mu      sync.Mutex
	ended   bool
	release func() // not nil while the upload is under way
}

// begin takes one of the person's places; a request without a session needs none. The
// error is request.rate if none is free, or an outage.
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
		b.upload.state.AbortBody(full)
		return 0, full
	}
	return n, err
}
