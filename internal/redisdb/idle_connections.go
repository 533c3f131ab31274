package redisdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// A server, a firewall or a gateway of a cloud closes connections that were idle for a while. go-redis
// sees that on plain sockets, not under TLS, and nobody sees it where packets are dropped in
// silence: then a command is written, and may have run or not. So a connection that was idle is
// asked by a PING before anything else is written to it. What a dead one did not take can be sent
// by another, whatever it does.

const (
	// idleAtMost is the age at which go-redis closes an idle connection, unless the URL has
	// another: Azure drops one after ten minutes.
	idleAtMost = 5 * time.Minute
	// askedAfter is the idle time after which a connection is asked.
	askedAfter = time.Second
	// patiently is how long a question must have waited before other connections are taken to
	// be dead, too.
	patiently = 100 * time.Millisecond
)

// errUnsent says that nothing of a command was written: its connection was dead.
var errUnsent = errors.New("redisdb: the connection was dead, nothing was sent")

// unsent reports whether err says that nothing was sent.
func unsent(err error) bool { return errors.Is(err, errUnsent) }

// dialer dials connections that are asked after they were idle. What is found out about one is
// known of the others to its address.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// opaque hides the socket, as TLS does.
	opaque bool

	mu     sync.Mutex
	places map[string]*place
}

// place is what is known of the connections to an address.
type place struct {
	// dead is when a connection was last used that was found dead: what has been idle for
	// as long is taken to be dead, too. broken is when one broke while it was in use: each
	// that was idle by then is asked. Both are Unix times in nanoseconds.
	dead, broken atomic.Int64
}

// newDialer makes a dialer with the time limit and the TLS settings of now.
func (db *DB) newDialer(o Options) *dialer {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return redis.NewDialer(&redis.Options{DialTimeout: stepTimeout(db.limit), TLSConfig: db.access.Load().tls})(ctx, network, address)
	}
	return &dialer{dial: dial, opaque: o.opaque, places: map[string]*place{}}
}

// Dial dials address, as go-redis asks for.
func (d *dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	at := d.places[address]
	if at == nil {
		at = &place{}
		d.places[address] = at
	}
	d.mu.Unlock()
	idle := &idleConn{Conn: conn, place: at}
	idle.used.Store(now())
	if socket, ok := conn.(syscall.Conn); ok && !d.opaque {
		return idleSocket{idle, socket}, nil
	}
	return idle, nil
}

// idleConn is a connection that is asked after it was idle. One that receives messages is not:
// its answers may come at any time.
type idleConn struct {
	net.Conn
	*place
	used     atomic.Int64 // as place.dead
	deadline time.Time    // of the next write
	// answered says that there was an answer; waiting, that one is due; messages, that the
	// connection receives messages.
	answered, waiting, messages atomic.Bool
}

// idleSocket is an idleConn whose socket go-redis can look at.
type idleSocket struct {
	*idleConn
	syscall.Conn
}

// SetWriteDeadline also limits the question that a write may begin with.
func (c *idleConn) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// Write asks first whether an idle connection lives. The error is errUnsent if nothing of what
// is under way was written.
func (c *idleConn) Write(p []byte) (int, error) {
	if isSubscription(p) {
		c.messages.Store(true)
	}
	if !c.waiting.Load() && !c.messages.Load() {
		if err := c.ask(); err != nil {
			return 0, fmt.Errorf("%w: %w", errUnsent, err)
		}
	}
	n, err := c.Conn.Write(p)
	if err != nil && n == 0 && c.answered.Load() && !c.waiting.Load() {
		return 0, fmt.Errorf("%w: %w", errUnsent, err)
	}
	c.waiting.Store(true)
	c.used.Store(now())
	return n, err
}

// Read notes when the connection was used.
func (c *idleConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.answered.Store(true)
		c.waiting.Store(false)
		c.used.Store(now())
	}
	if timeout, ok := errors.AsType[net.Error](err); err != nil && (!ok || !timeout.Timeout()) && !errors.Is(err, net.ErrClosed) {
		c.broken.Store(now())
	}
	return n, err
}

// ask returns an error if the connection is dead.
func (c *idleConn) ask() error {
	used := c.used.Load()
	if used <= c.dead.Load() {
		return errors.New("one that was idle for as long was dead")
	}
	if time.Duration(now()-used) < askedAfter && used >= c.broken.Load() {
		return nil
	}
	hasty := time.Until(c.deadline) < patiently //nolint:forbidigo // A connection's deadline is the machine's own time.
	err := c.ping()
	if errors.Is(err, os.ErrDeadlineExceeded) && hasty {
		return err
	}
	for dead := c.dead.Load(); err != nil && dead < used; dead = c.dead.Load() {
		c.dead.CompareAndSwap(dead, used)
	}
	return err
}

// ping sends PING and reads the answer. A refusal is an answer.
func (c *idleConn) ping() error {
	if err := c.SetReadDeadline(c.deadline); err != nil {
		return err
	}
	if _, err := c.Conn.Write([]byte("*1\r\n$4\r\nping\r\n")); err != nil {
		return err
	}
	var line [512]byte
	for n := 0; n < len(line); {
		read, err := c.Conn.Read(line[n:])
		n += read
		if said := line[:n]; bytes.HasSuffix(said, []byte{'\n'}) {
			if said[0] != '+' && said[0] != '-' || bytes.IndexByte(said, '\n') != n-1 {
				break
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("another answer than to PING")
}

// isSubscription reports whether p begins with a command after which messages come.
func isSubscription(p []byte) bool {
	for _, command := range []string{"\r\n$9\r\nsubscribe\r\n", "\r\n$10\r\npsubscribe\r\n", "\r\n$10\r\nssubscribe\r\n"} {
		if i := bytes.Index(p[:min(len(p), 32)], []byte(command)); i > 0 && p[0] == '*' {
			return true
		}
	}
	return false
}

// now returns the machine's own time, by which connections age.
func now() int64 { return time.Now().UnixNano() } //nolint:forbidigo // A connection's deadline is the machine's own time.
