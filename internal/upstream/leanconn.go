package upstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"
)

// maxInformational limits the responses of 1xx before a response.
const maxInformational = 5

// readAtOnce is the size of the buffer for responses: most of them come in one piece.
const readAtOnce = 8 << 10

// leanConn is a connection of a lean. It belongs to one exchange at a time.
type leanConn struct {
	net.Conn
	pool   *lean
	socket syscall.RawConn // nil if its state cannot be asked
	reader *bufio.Reader
	writer *bufio.Writer
	room   int64     // bytes that the header of the response may still have
	used   bool      // a response came before
	since  time.Time // when it became idle
	abort  func()    // ends an exchange under way
	stop   func() bool
}

// newLeanConn makes a connection of pool on the socket, which conn is or encrypts.
func newLeanConn(pool *lean, conn, socket net.Conn) *leanConn {
	c := &leanConn{Conn: conn, pool: pool}
	if raw, ok := socket.(syscall.Conn); ok {
		c.socket, _ = raw.SyscallConn()
	}
	c.reader, c.writer = bufio.NewReaderSize(c, readAtOnce), bufio.NewWriter(conn)
	c.abort = func() { _ = conn.SetDeadline(time.Unix(1, 0)) }
	return c
}

// limit gives the next exchange the deadline of ctx.
func (c *leanConn) limit(ctx context.Context) error {
	at, _ := ctx.Deadline() // none is the zero time, which is none for a connection too
	return c.SetDeadline(at)
}

// alive reports whether the service still holds an idle connection open, and has sent
// nothing on it that nobody asked for.
func (c *leanConn) alive() bool {
	if c.socket == nil {
		return true
	}
	silent := false
	err := c.socket.Read(func(fd uintptr) bool {
		var one [1]byte
		_, err := syscall.Read(int(fd), one[:])
		silent = err == syscall.EAGAIN
		return true
	})
	return err == nil && silent
}

// exchange sends r and returns its response. Until the end of the response's body the
// connection watches r's context: its end ends the exchange. The error is an
// *unansweredError if no byte of a response came.
func (c *leanConn) exchange(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	c.stop = context.AfterFunc(ctx, c.abort)
	sent := r.Write(c.writer)
	if sent == nil {
		sent = c.writer.Flush()
	}
	// A service that hangs up during a request may have said why.
	response, err := c.response(r)
	if err != nil {
		c.end(false)
		return nil, errors.Join(err, sent)
	}
	again := sent == nil && !response.Close && response.StatusCode != http.StatusSwitchingProtocols
	if response.Body == http.NoBody {
		c.end(again)
		return response, nil
	}
	response.Body = &leanBody{body: response.Body, conn: c, ctx: ctx, again: again}
	return response, nil
}

// response reads the head of the response to r.
func (c *leanConn) response(r *http.Request) (*http.Response, error) {
	c.room = maxHeader
	if _, err := c.reader.Peek(1); err != nil {
		return nil, &unansweredError{err}
	}
	for range maxInformational + 1 {
		response, err := http.ReadResponse(c.reader, r)
		if err != nil {
			return nil, fmt.Errorf("read the response: %w", err)
		}
		if response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols {
			c.room = math.MaxInt64
			return response, nil
		}
	}
	return nil, errors.New("read the response: too many of 1xx came before it")
}

// Read reads for reader, within room.
func (c *leanConn) Read(p []byte) (int, error) {
	if c.room <= 0 {
		return 0, fmt.Errorf("its header is longer than %d bytes", maxHeader)
	}
	n, err := c.Conn.Read(p)
	c.room -= int64(n)
	return n, err
}

// end ends an exchange, after which the connection may be used again or is closed.
func (c *leanConn) end(again bool) {
	if unended := c.stop(); unended && again && c.reader.Buffered() == 0 {
		c.pool.keep(c)
		return
	}
	_ = c.Close()
}

// leanBody is the body of a response. At its end the connection is free.
type leanBody struct {
	body  io.ReadCloser
	conn  *leanConn
	ctx   context.Context
	again bool
	over  error // what Read returns from now on; nil while the connection is in use
}

// Read returns the next bytes of the body.
func (b *leanBody) Read(p []byte) (int, error) {
	if b.over != nil {
		return 0, b.over
	}
	n, err := b.body.Read(p)
	switch {
	case err == io.EOF:
		b.end(b.again, err)
	case err != nil:
		b.end(false, ended(b.ctx, err))
	}
	return n, b.over
}

// Close gives up what was not read, and with it the connection.
func (b *leanBody) Close() error {
	if b.over == nil {
		b.end(false, http.ErrBodyReadAfterClose)
	}
	return nil
}

func (b *leanBody) end(again bool, over error) {
	b.over = over
	b.conn.end(again)
}

// unansweredError is the error of a request to which no byte of a response came.
type unansweredError struct{ cause error }

func (e *unansweredError) Error() string { return e.cause.Error() }
func (e *unansweredError) Unwrap() error { return e.cause }
