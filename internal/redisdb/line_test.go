package redisdb

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"
)

// line dials connections that lose the answer to one command.
type line struct{ command atomic.Pointer[string] }

func (l *line) lose(command string) { l.command.Store(&command) }
func (l *line) done() bool          { return l.command.Load() == nil }

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lossy{Conn: conn, line: l}, nil
}

// lossy passes the command on, waits for the answer, then claims that the connection
// broke.
type lossy struct {
	net.Conn
	line *line
	lose atomic.Bool
}

func (c *lossy) Write(p []byte) (int, error) {
	if command := c.line.command.Load(); command != nil && bytes.Contains(p, []byte(*command)) {
		c.lose.Store(c.line.command.CompareAndSwap(command, nil))
	}
	return c.Conn.Write(p)
}

func (c *lossy) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == nil && c.lose.Load() {
		return 0, io.EOF
	}
	return n, err
}
