package web

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

const (
	// readWithin and writeWithin are how long a request's body may take to arrive and
	// its answer to leave, so that a slow or silent client does not hold a connection.
	readWithin  = 60 * time.Second
	writeWithin = 120 * time.Second
	// stalledAfter is how long an answer may stand still.
	stalledAfter = 30 * time.Second
	// drainWithin is how much longer than a reader is patient a connection is read, which
	// matters where nobody reads the body on.
	drainWithin = 5 * time.Second
)

// deadlines bounds a request and its answer in all. The server itself bounds
// headers and idle connections alone.
func (e *edge) deadlines(c *gin.Context) {
	conn, now := http.NewResponseController(c.Writer), e.Now()
	if c.Request.Body != http.NoBody {
		_ = conn.SetReadDeadline(now.Add(readWithin))
	}
	_ = conn.SetWriteDeadline(now.Add(writeWithin))
}

// transfer is for routes that carry files: what moves goes on, however long it
// takes, and what stands still or creeps ends.
func (e *edge) transfer(c *gin.Context) {
	conn := http.NewResponseController(c.Writer)
	if c.Request.Body != http.NoBody {
		c.Request.Body = &movingBody{ReadCloser: c.Request.Body, conn: conn, now: e.Now, state: request.From(c)}
	}
	c.Writer = movingWriter{c.Writer, func() { _ = conn.SetWriteDeadline(e.Now().Add(stalledAfter)) }}
}

// movingBody is a body that is given up where it comes too slowly: then the request is cut,
// before the connection is, which ends everything that works for it.
type movingBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	now   func() time.Time
	state *request.State
	pace  pace
	late  *time.Timer
}

// Read reads on while the body comes fast enough; its error is request.too-slow else.
func (b *movingBody) Read(p []byte) (int, error) {
	if cut := b.state.WasCut(); cut != nil {
		return 0, cut
	}
	patience, begun := b.pace.patience(), b.now()
	_ = b.conn.SetReadDeadline(begun.Add(patience + drainWithin))
	b.wait(patience)
	n, err := b.ReadCloser.Read(p)
	b.late.Stop()
	waited := b.now().Sub(begun)
	if waited > patience {
		b.giveUp()
	}
	if cut := b.state.WasCut(); cut != nil {
		return n, cut
	}
	b.pace.took(waited, n)
	if errors.Is(err, io.EOF) { // nobody waits for the client any more
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// wait gives the body up when patience ends.
func (b *movingBody) wait(patience time.Duration) {
	if b.late != nil {
		b.late.Reset(patience)
		return
	}
	b.late = time.AfterFunc(patience, b.giveUp)
}

// giveUp cuts the request, and then has nothing more of the body be read.
func (b *movingBody) giveUp() {
	b.state.Cut(fault.New(fault.RequestTooSlow))
	_ = b.conn.SetReadDeadline(time.Unix(1, 0))
}

// movingWriter is an answer whose deadline is put off with each write.
type movingWriter struct {
	gin.ResponseWriter
	putOff func()
}

func (w movingWriter) Write(p []byte) (int, error) {
	w.putOff()
	return w.ResponseWriter.Write(p)
}
