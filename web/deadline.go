package web

import (
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// readWithin and writeWithin are how long a request's body may take to arrive and
	// its answer to leave, so that a slow or silent client does not hold a connection.
	readWithin  = 60 * time.Second
	writeWithin = 120 * time.Second
	// stalledAfter is how long a transfer may stand still.
	stalledAfter = 30 * time.Second
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
// takes, and what stands still ends.
func (e *edge) transfer(c *gin.Context) {
	conn := http.NewResponseController(c.Writer)
	c.Request.Body = movingBody{c.Request.Body, func() { _ = conn.SetReadDeadline(e.Now().Add(stalledAfter)) }}
	c.Writer = movingWriter{c.Writer, func() { _ = conn.SetWriteDeadline(e.Now().Add(stalledAfter)) }}
}

// movingBody is a body whose deadline is put off with each read.
type movingBody struct {
	io.ReadCloser
	putOff func()
}

func (b movingBody) Read(p []byte) (int, error) {
	b.putOff()
	return b.ReadCloser.Read(p)
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
