package web

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

const (
	// readWithin limits how long a request's body takes to arrive, and writeWithin how
	// long its answer takes to leave, so that a slow or silent client does not hold a
	// connection.
	readWithin  = 60 * time.Second
	writeWithin = 120 * time.Second
	// stalledAfter limits how long an answer may stand still.
	stalledAfter = 30 * time.Second
	// drainWithin is added to a reader's patience in the connection's read deadline,
	// which ends a body that nobody reads any more.
	drainWithin = 5 * time.Second
)

// deadlines limits the time of a request and its answer. The server itself limits only
// headers and idle connections.
func (e *edge) deadlines(c *gin.Context) {
	conn, now := http.NewResponseController(c.Writer), e.Now()
	if c.Request.Body != http.NoBody {
		_ = conn.SetReadDeadline(now.Add(readWithin))
	}
	_ = conn.SetWriteDeadline(now.Add(writeWithin))
}

// transfer is for routes that carry files: a moving transfer may take any time, and one
// that stands still or creeps is ended.
func (e *edge) transfer(c *gin.Context) {
	conn := http.NewResponseController(c.Writer)
	if c.Request.Body != http.NoBody {
		body := &movingBody{ReadCloser: c.Request.Body, conn: conn, now: e.Now, state: request.From(c)}
		c.Request.Body = body
		defer body.end()
	}
	c.Writer = movingWriter{c.Writer, func() { _ = conn.SetWriteDeadline(e.Now().Add(stalledAfter)) }}
	c.Next()
}

// movingBody gives up a body that comes too slowly: it cuts the request before the
// connection's end would cancel all work for it.
type movingBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	now   func() time.Time
	state *request.State
	pace  pace
	late  *time.Timer

	mu    sync.Mutex
	ended bool
}

// end says that the request is answered. A platform that answers before it has read the
// whole body leaves a reader behind, and the connection's deadlines are no longer its own.
func (b *movingBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}

// deadline sets the connection's read deadline until the request is answered.
func (b *movingBody) deadline(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		_ = b.conn.SetReadDeadline(at)
	}
}

// Read returns the next bytes while the body comes fast enough, and request.too-slow
// after that.
func (b *movingBody) Read(p []byte) (int, error) {
	if cut := b.state.AbortCause(); cut != nil {
		return 0, cut
	}
	patience, begun := b.pace.patience(), b.now()
	b.deadline(begun.Add(patience + drainWithin))
	b.wait(patience)
	n, err := b.ReadCloser.Read(p)
	b.late.Stop()
	waited := b.now().Sub(begun)
	if waited > patience {
		b.giveUp()
	}
	if cut := b.state.AbortCause(); cut != nil {
		return n, cut
	}
	b.pace.add(waited, n)
	if errors.Is(err, io.EOF) { // from now on nobody waits for the client
		b.deadline(time.Time{})
	}
	return n, err
}

// wait gives the body up after patience.
func (b *movingBody) wait(patience time.Duration) {
	if b.late != nil {
		b.late.Reset(patience)
		return
	}
	b.late = time.AfterFunc(patience, b.giveUp)
}

// giveUp cuts the request and then stops the reading of its body.
func (b *movingBody) giveUp() {
	b.state.AbortBody(fault.New(fault.RequestTooSlow))
	b.deadline(time.Unix(1, 0))
}

// movingWriter is an answer whose deadline moves with each write.
type movingWriter struct {
	gin.ResponseWriter
	putOff func()
}

func (w movingWriter) Write(p []byte) (int, error) {
	w.putOff()
	return w.ResponseWriter.Write(p)
}
