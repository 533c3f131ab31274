package upstream

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// connection is a connection of net/http's transport. That makes a connection idle before it
// has looked what came behind a response, so that the next request could be answered by it.
// A connection here knows whether everything that came has been read.
type connection struct {
	net.Conn
	socket syscall.RawConn // nil if the socket cannot be asked
	sent   atomic.Int64    // bytes

	mu      sync.Mutex
	reading bool          // the transport has read all that came, and waits for more
	closed  bool          // by us
	idle    bool          // the next bytes that are sent begin a request
	unasked bool          // something came since it is idle
	changed chan struct{} // closed when one of these becomes true; nil if nobody waits for it
	records *records      // nil without TLS
}

func newConnection(socket net.Conn, secure bool) *connection {
	c := &connection{Conn: socket, socket: rawSocket(socket)}
	if secure {
		c.records = &records{}
	}
	return c
}

// Read implements net.Conn. What the socket has is taken from it and noted in one step: bytes
// are in the socket, or noted.
func (c *connection) Read(p []byte) (n int, err error) {
	if c.socket == nil || len(p) == 0 {
		return c.readPlainly(p)
	}
	var cause error
	err = c.socket.Read(func(fd uintptr) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		var waits bool
		if n, waits, cause = readNow(fd, p); waits {
			c.mark(&c.reading)
			return false
		}
		c.took(p[:max(n, 0)])
		return true
	})
	switch {
	case err != nil:
		return 0, err
	case cause != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("read", cause)}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (c *connection) readPlainly(p []byte) (int, error) {
	c.set(&c.reading)
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took(p[:n])
	return n, err
}

// took notes what was read.
func (c *connection) took(p []byte) {
	c.reading = false
	c.unasked = c.unasked || c.idle && len(p) > 0
	c.records.follow(p)
}

// Write implements net.Conn. It sends nothing of a request for which a response is there
// already.
func (c *connection) Write(p []byte) (int, error) {
	if !c.mayBegin() {
		return 0, errNotQuiet
	}
	c.sent.Add(int64(len(p))) // before it is, so that no response comes earlier
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n - len(p)))
	return n, err
}

// errNotQuiet is the error of a connection on which the platform sends what nobody asked for, or
// that it has closed.
var errNotQuiet = errors.New("the platform has sent something unasked, or hung up")

// mayBegin reports whether bytes may be sent: those that begin a request only if nothing came
// since the connection was idle.
func (c *connection) mayBegin() bool {
	c.mu.Lock()
	begins, unasked := c.idle, c.unasked
	c.idle = false
	c.mu.Unlock()
	return !begins || !unasked && c.isQuiet()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.set(&c.closed)
	return c.Conn.Close()
}

// set makes reading or closed true.
func (c *connection) set(state *bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark(state)
}

// mark does what set does, for a caller that holds mu.
func (c *connection) mark(state *bool) {
	*state = true
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// awaitsMore waits until the transport has read all that came on an idle connection, and reports
// whether the connection is open then, without a part of a record: crypto/tls keeps that until
// the rest comes. The transport closes a connection on which it found something.
func (c *connection) awaitsMore(ctx context.Context) bool {
	for {
		c.mu.Lock()
		if c.reading || c.closed {
			c.idle = !c.closed && c.records.whole()
			open := c.idle
			c.mu.Unlock()
			return open
		}
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// isQuiet reports whether the socket is open and has nothing to read.
func (c *connection) isQuiet() bool {
	if c.socket == nil {
		return true
	}
	quiet := false
	err := c.socket.Control(func(fd uintptr) { quiet = hasNothing(fd) })
	return err == nil && quiet
}

// journey is the way of one request through the transport.
type journey struct {
	trace httptrace.ClientTrace
	ctx   context.Context
	conn  *connection // nil without one
	// begun is what the connection had sent before. reused says that it had served other
	// requests, shared that it serves several at once, by HTTP/2.
	begun          int64
	reused, shared bool
}

// follow returns a context for a request, and its journey.
func follow(ctx context.Context) (context.Context, *journey) {
	j := &journey{ctx: ctx}
	j.trace.GotConn = j.take
	return httptrace.WithClientTrace(ctx, &j.trace), j
}

// take begins the journey on a connection. One on which more came than was asked for is
// closed, so that the request is not written to it.
func (j *journey) take(info httptrace.GotConnInfo) {
	socket := info.Conn
	if secure, ok := socket.(*tls.Conn); ok {
		j.shared = secure.ConnectionState().NegotiatedProtocol == "h2"
		socket = secure.NetConn()
	}
	j.conn, _ = socket.(*connection)
	if j.conn == nil {
		return
	}
	if j.reused = info.Reused; j.reused && !j.shared && !j.conn.awaitsMore(j.ctx) {
		_ = j.conn.Close()
	}
	j.begun = j.conn.sent.Load()
}

// isSent reports whether a part of the request may have reached the platform.
func (j *journey) isSent() bool {
	return j.conn != nil && (j.shared || j.conn.sent.Load() != j.begun)
}

// abandon closes the connection, whose responses cannot be trusted. One of HTTP/2 stays: its
// responses name their requests, and others wait on it.
func (j *journey) abandon() {
	if j.conn != nil && !j.shared {
		_ = j.conn.Close()
	}
}

// records follows the records of TLS in what comes (RFC 8446 5.1): five bytes of header, the
// last two of them the length of the rest. nil is a connection without TLS.
type records struct {
	header [5]byte
	has    int // bytes of the header
	left   int // bytes of the record behind it
}

func (r *records) follow(p []byte) {
	for r != nil && len(p) > 0 {
		if r.left > 0 {
			n := min(r.left, len(p))
			r.left, p = r.left-n, p[n:]
			continue
		}
		n := copy(r.header[r.has:], p)
		r.has, p = r.has+n, p[n:]
		if r.has == len(r.header) {
			r.has, r.left = 0, int(binary.BigEndian.Uint16(r.header[3:]))
		}
	}
}

// whole reports whether no record has come in part.
func (r *records) whole() bool { return r == nil || r.has == 0 && r.left == 0 }
